// A payment provider, as far as a booking needs one: a file that outlives the process. It knows each
// charge by the caller's key, and does it once.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface Payment {
  readonly kind: "charge" | "refund";
  readonly key: string;
  readonly cents: number;
}

export class Payments {
  readonly #file: string;
  readonly #answersAfterMs: number;

  constructor(file: string, answersAfterMs = 0) {
    this.#file = file;
    this.#answersAfterMs = answersAfterMs;
  }

  /** The money moves, and some time later the answer arrives: between the two a process may be killed. */
  async charge(key: string, cents: number): Promise<string> {
    this.#once({ kind: "charge", key, cents });
    await pause(this.#answersAfterMs);
    return `receipt-${key}`;
  }

  async refund(key: string, cents: number): Promise<void> {
    this.#once({ kind: "refund", key, cents });
  }

  all(): readonly Payment[] {
    if (!existsSync(this.#file)) return [];
    // Another process may have made the file, and not written to it yet.
    const lines = readFileSync(this.#file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  }

  #once(payment: Payment): void {
    const isKnown = this.all().some(({ kind, key }) => kind === payment.kind && key === payment.key);
    if (!isKnown) appendFileSync(this.#file, `${JSON.stringify(payment)}\n`);
  }
}
