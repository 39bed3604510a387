// Steps that run at once over the same input; `merge` makes one value of their answers.

import { Axon, busKey, fault, isNext, transition } from "framework";

export interface Trip {
  readonly from: string;
  readonly to: string;
}

/** Asks one line for its price in cents. Rejects where it cannot be reached. */
export const Lines = busKey<(line: string, from: string, to: string) => Promise<number>>()("Lines");

const ask = (name: string, line: string, reversed = false) =>
  transition({
    name,
    uses: { lines: Lines },
    run: ({ from, to }: Trip, bus) => (reversed ? bus.lines(line, to, from) : bus.lines(line, from, to)),
  });

/** A return trip needs both ways: the first fault ends the other step, and the run. */
export const returnTrip = Axon.start<Trip>("return-trip")
  .parallel(
    [ask("outward", "blue"), ask("homeward", "blue", true)],
    "AllMustSucceed",
    ([outward, homeward]) => outward + homeward,
    { name: "both ways" },
  )
  .thenFn("show", (cents) => ({ cents }));

/** The cheapest offer needs one answer: faults are answers too, and `merge` decides. */
export const cheapest = Axon.start<Trip>("cheapest").parallel(
  [ask("blue line", "blue"), ask("white line", "white")],
  "AnyCanFail",
  (offers, { to }) => {
    const prices = offers.filter(isNext);
    return prices.length === 0 ? fault({ kind: "no-offer", to }) : { cents: Math.min(...prices) };
  },
  { name: "offers" },
);
