// The payment provider of the clinic, as far as a booking needs it.

import { setTimeout as pause } from "node:timers/promises";

import { busKey } from "framework";

export interface Payments {
  /** "busy": nothing was charged, and the call may be made again. */
  charge(card: string, cents: number): Promise<"charged" | "declined" | "busy">;
}

/** The key by which steps read it. Its value is given when the server starts: main.ts. */
export const Payments = busKey<Payments>()("Payments");

/** Stands for a provider: declines cards that begin with 0. */
export const trialPayments: Payments = {
  async charge(card) {
    await pause(50);
    return card.startsWith("0") ? "declined" : "charged";
  },
};
