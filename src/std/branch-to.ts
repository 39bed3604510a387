import type { Branch } from "#core/outcome.js";

/** One Branch type for each id: attaching an Axon to one of them closes that one alone. */
export type BranchTo<Id, Payload> = Id extends string ? Branch<Id, Payload> : never;
