// An Axon in the place of a step: drawn nested, on the Bus of the run, its labels its own.

import { Axon, fault, RetryPolicy } from "framework";

export interface Passport {
  readonly number: string;
  readonly expires: number;
}

const YEAR = 2026;

/** Used by two others below, and by itself where only a passport is checked. */
export const identify = Axon.start<Passport>("identify")
  .thenFn("normalise", ({ number, expires }) => ({
    number: number.replaceAll(" ", "").toUpperCase(),
    expires,
  }))
  .thenFn("validity", (passport) =>
    passport.expires < YEAR ? fault({ kind: "expired", year: passport.expires }) : passport,
  );

export const board = Axon.start<Passport>("board")
  .subgraph(identify)
  .thenFn("seat", ({ number }) => `${number} may board`);

/** asTransition() is for the calls that take a step: here the whole Axon is tried again. */
export const scan = Axon.start<Passport>("scan")
  .thenWithRetry(identify.asTransition(), RetryPolicy.fixed(1, 0))
  .thenFn("open gate", ({ number }) => `${number} may pass`);
