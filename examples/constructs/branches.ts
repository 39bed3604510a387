// A branch leaves the line, goes through an Axon of its own and comes back at the next step.

import { Axon, branch, Type } from "framework";

export interface Arrival {
  readonly plate: string;
  readonly tonnes: number;
}

/** What a branch's Axon checks, it checks on the way in. */
const Lorry = Type.Object({ plate: Type.String(), tonnes: Type.Number({ maximum: 60 }) });

const weighbridge = Axon.start("weighbridge", Lorry).thenFn("toll", ({ plate, tonnes }) => ({
  plate,
  lane: "freight",
  cents: Math.ceil(tonnes) * 400,
}));

export const checkIn = Axon.start<Arrival>("check-in")
  .thenFn("sort", { branches: ["lorry"] }, (arrival) => {
    if (arrival.tonnes > 3.5) return branch("lorry", arrival);
    return { plate: arrival.plate, lane: "cars", cents: 2500 };
  })
  .branch("lorry", weighbridge)
  .thenFn("slip", ({ plate, lane, cents }) => `${plate} ${lane} ${cents}`);
