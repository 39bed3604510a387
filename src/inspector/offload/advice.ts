// Which steps to offload, from the times of one process or several.

import type { LongStep, OffloadAdvice } from "../api/offload.js";
import type { Given } from "../api/shapes.js";
import { addedUp, type LoopTimes, sumOfJobs } from "./long-steps.js";

type Advice = Given<OffloadAdvice>;

const MAX_STEPS = 50;
/**
 * Cost for the event loop of sending a small job to a thread: the default until jobs are recorded,
 * and the minimum. docs/offload.md has measurements.
 */
const CROSSING_US = 100;
/** Jobs required for a mean. */
const ENOUGH_JOBS = 20;

/** The times of one process in the shape of an advice: all steps, without a gain. */
export const timesOf = ({ steps, sent }: LoopTimes): Advice => ({
  steps: steps.map(({ sum_us, long_sum_us: _, ...step }) => ({
    ...step,
    mean_us: step.calls === 0 ? null : sum_us / step.calls,
    gain_us: null,
  })),
  not_listed: 0,
  crossing_us: sent.calls === 0 ? 0 : sent.sum_us / sent.calls,
  crossing_calls: sent.calls,
  workers_silent: 0,
});

export function mergedAdvice(own: Advice, others: readonly Advice[]): Advice {
  const all = [own, ...others];
  const crossing = crossingOf(all);
  const steps = addedUp(all.flatMap((times) => times.steps.map(summed)))
    .map(({ sum_us, long_sum_us: _, ...step }): LongStep => {
      const mean_us = step.calls === 0 ? null : sum_us / step.calls;
      return { ...step, mean_us, gain_us: mean_us === null ? null : mean_us - crossing.crossing_us };
    })
    .filter(({ gain_us }) => gain_us === null || gain_us > 0)
    .sort((one, other) => freed(other) - freed(one) || other.longest_us - one.longest_us);
  return {
    ...own,
    ...crossing,
    steps: steps.slice(0, MAX_STEPS),
    not_listed: Math.max(0, steps.length - MAX_STEPS),
  };
}

const summed = ({ mean_us, gain_us: _, ...step }: LongStep) => ({
  ...step,
  sum_us: (mean_us ?? 0) * step.calls,
  long_sum_us: 0,
});

const freed = ({ calls, gain_us }: LongStep): number => calls * (gain_us ?? 0);

function crossingOf(all: readonly Advice[]): Pick<Advice, "crossing_us" | "crossing_calls"> {
  const { calls, sum_us } = all
    .map((times) => ({ calls: times.crossing_calls, sum_us: times.crossing_us * times.crossing_calls }))
    .reduce(sumOfJobs);
  if (calls < ENOUGH_JOBS) return { crossing_us: CROSSING_US, crossing_calls: 0 };
  return { crossing_us: Math.max(CROSSING_US, sum_us / calls), crossing_calls: calls };
}
