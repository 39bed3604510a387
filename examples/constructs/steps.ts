// Steps one after another: each gets what the one before answered. A fault ends the run.

import { Axon, fault, transition } from "framework";

export interface Party {
  readonly passengers: number;
  readonly luggageKg: number;
}

const LIMIT_KG = 500;
const FREE_KG_EACH = 20;

/** A step as a value of its own, for steps that are long, described or used twice. */
const weigh = transition({
  name: "weigh",
  description: "Refuses more than the hold takes",
  run(party: Party) {
    if (party.luggageKg > LIMIT_KG) return fault({ kind: "too-heavy", limitKg: LIMIT_KG });
    return { ...party, excessKg: Math.max(0, party.luggageKg - FREE_KG_EACH * party.passengers) };
  },
});

export const fare = Axon.start<Party>("fare")
  .then(weigh)
  .thenFn("price", ({ passengers, excessKg }) => passengers * 1200 + excessKg * 50)
  .thenFn("show", (cents) => `${(cents / 100).toFixed(2)} EUR`);
