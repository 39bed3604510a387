// A Synapse is a step that asks a service outside. It is drawn as one, and says what the
// service's failures mean.

import { Axon, busKey, ProblemDetail, synapse } from "framework";

export interface HarbourRadio {
  berth(ship: string, signal: AbortSignal): Promise<number>;
}

export const HarbourRadio = busKey<HarbourRadio>()("HarbourRadio");

export class HarbourFull extends Error {}

const harbourFull = new ProblemDetail({
  status: 503,
  code: "HARBOUR_FULL",
  title: "No berth is free",
});

const requestBerth = synapse({
  name: "request berth",
  description: "Asks the harbour where to moor",
  uses: { harbourRadio: HarbourRadio },
  call: (ship: string, bus) => bus.harbourRadio.berth(ship, bus.signal),
  // What it does not know stays what it is: a TRANSITION_PANIC.
  toFault: (thrown) => (thrown instanceof HarbourFull ? harbourFull : undefined),
});

export const moor = Axon.start<string>("moor")
  .then(requestBerth)
  .thenFn("tell", (berth) => `Moor at berth ${berth}`);
