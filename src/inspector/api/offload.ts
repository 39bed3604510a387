// Steps that hold the event loop long enough to be worth a thread of the pool.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Name, orNull, WorkersSilent } from "./shapes.js";

export const LongStep = Type.Object(
  {
    circuit: Name,
    node: Name,
    label: Name,
    /** Calls of recorded runs since the start; the figures below are theirs. */
    calls: Count,
    /** Until the step returned a value or a promise; null if no run was recorded. */
    mean_us: orNull(Amount),
    /** Calls of more than 1 ms. */
    long_calls: Count,
    /** Of all counted runs. */
    longest_us: Amount,
    /** Event loop time saved per call: the mean minus `crossing_us`. Above 0, or null as the mean. */
    gain_us: orNull(Type.Number()),
  },
  closed,
);
export type LongStep = Static<typeof LongStep>;

export const OffloadAdvice = envelope(
  "offload_advice",
  Type.Object(
    {
      /** The largest total saving first, 50 at most. */
      steps: Type.Array(LongStep),
      not_listed: Count,
      /** Event loop time of one call in a thread. */
      crossing_us: Amount,
      /** Number of recorded jobs behind `crossing_us`; 0 for the default figure. */
      crossing_calls: Count,
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);
export type OffloadAdvice = Static<typeof OffloadAdvice>["data"];
