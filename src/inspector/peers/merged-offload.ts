import { Type } from "@sinclair/typebox";

import type { LongStep, OffloadAdvice } from "../api/offload.js";
import { Amount, Count, Name } from "../api/shapes.js";
import { addedUp, type HeldLoop, type LongSteps, type LoopTimes, sumOfJobs } from "../offload/long-steps.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const MAX_STEPS = 50;
/**
 * Cost for the event loop of sending a small job to a thread: the default until jobs are recorded,
 * and the minimum. docs/offload.md has measurements.
 */
const CROSSING_US = 100;
/** Jobs required for a mean. */
const ENOUGH_JOBS = 20;

const LOOP_TIMES = subject<LoopTimes>(
  "loop times",
  Type.Object({
    steps: Type.Array(
      Type.Object({
        ...{ circuit: Name, node: Name, label: Name },
        ...{ calls: Count, sum_us: Amount },
        ...{ long_calls: Count, long_sum_us: Amount, longest_us: Amount },
      }),
    ),
    sent: Type.Object({ calls: Count, sum_us: Amount }),
  }),
);

/** Candidates for offloading in all processes of a service. Without peers, those of this process. */
export class MergedOffload {
  readonly #own: LongSteps;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's steps. */
  constructor(own: LongSteps, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(LOOP_TIMES.about, () => own.read());
  }

  async list(): Promise<OffloadAdvice> {
    const asked = await this.#peers?.askAll(LOOP_TIMES, null, { waitMs: USER_WAIT_MS });
    const times = [this.#own.read(), ...(asked?.answers ?? []).map(({ value }) => value)];
    const crossing = crossingOf(times);
    const steps = addedUp(times.flatMap((each) => each.steps))
      .map((step) => advised(step, crossing.crossing_us))
      .filter(({ gain_us }) => gain_us === null || gain_us > 0)
      .sort((one, other) => freed(other) - freed(one) || other.longest_us - one.longest_us);
    return {
      steps: steps.slice(0, MAX_STEPS),
      not_listed: Math.max(0, steps.length - MAX_STEPS),
      ...crossing,
      workers_silent: asked?.silent ?? 0,
    };
  }
}

const freed = ({ calls, gain_us }: LongStep): number => calls * (gain_us ?? 0);

function crossingOf(times: readonly LoopTimes[]): Pick<OffloadAdvice, "crossing_us" | "crossing_calls"> {
  const { calls, sum_us } = times.map(({ sent }) => sent).reduce(sumOfJobs);
  if (calls < ENOUGH_JOBS) return { crossing_us: CROSSING_US, crossing_calls: 0 };
  return { crossing_us: Math.max(CROSSING_US, sum_us / calls), crossing_calls: calls };
}

function advised({ sum_us, long_sum_us: _, ...step }: HeldLoop, crossingUs: number): LongStep {
  const mean_us = step.calls === 0 ? null : sum_us / step.calls;
  return { ...step, mean_us, gain_us: mean_us === null ? null : mean_us - crossingUs };
}
