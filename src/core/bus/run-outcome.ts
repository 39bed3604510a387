// How a run ended, as metrics and traces count it.

import { Fault, isFault } from "./outcome.js";
import { isRuntimeFault } from "./runtime-fault.js";

export const RUN_OUTCOMES = ["ok", "refused_input", "fault", "aborted"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The ingress refused the request of a run before the first step of its Axon, with a status below 500. */
export class RefusedInput<out E> extends Fault<E> {}

/** `circuit` is the name of the run's Axon. */
export function runOutcomeOf(outcome: unknown, circuit: string): RunOutcome {
  if (!isFault(outcome)) return "ok";
  if (outcome instanceof RefusedInput) return "refused_input";
  const { error } = outcome;
  if (!isRuntimeFault(error)) return "fault";
  // An aborted run is not a failure of its own: the client disconnected, or the request timed out.
  if (error.code === "RUN_ABORTED") return "aborted";
  // The input of another Axon is made by a step.
  return error.code === "INPUT_INVALID" && error.axon === circuit ? "refused_input" : "fault";
}
