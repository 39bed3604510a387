// Steps that hold the event loop for so long that a thread of the pool would pay.

import { type Static, Type } from "@sinclair/typebox";

import { Amount, Count, closed, envelope, Name, orNull, WorkersSilent } from "./shapes.js";

export const LongStep = Type.Object(
  {
    circuit: Name,
    node: Name,
    label: Name,
    /** Calls of recorded runs since the start; the figures below are theirs. */
    calls: Count,
    /** Until the step answered or returned a promise; null where no run was recorded. */
    mean_us: orNull(Amount),
    /** Calls of more than 1 ms. */
    long_calls: Count,
    /** Of all counted runs. */
    longest_us: Amount,
    /** The mean less `crossing_us`: what the loop would have for other requests, of each call. */
    gain_us: orNull(Type.Number()),
  },
  closed,
);
export type LongStep = Static<typeof LongStep>;

export const OffloadAdvice = envelope(
  "offload_advice",
  Type.Object(
    {
      /** The one that frees most of the loop's time first, 50 at most. */
      steps: Type.Array(LongStep, { maxItems: 50 }),
      not_listed: Count,
      /** What a call costs the loop that is made in a thread. */
      crossing_us: Amount,
      /** Recorded calls of offloaded steps that it is measured by; 0 where it is the usual figure. */
      crossing_calls: Count,
      workers_silent: WorkersSilent,
    },
    closed,
  ),
);
export type OffloadAdvice = Static<typeof OffloadAdvice>["data"];
