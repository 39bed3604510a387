import { BusValueMissingError } from "#core/errors.js";
import { type Fault, fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";

/** The fault that a run ends with where a step threw. */
export function panicOf(step: string, cause: unknown): Fault<unknown> {
  if (cause instanceof BusValueMissingError) cause.inStep(step);
  return fault(runtimeFault({ code: "TRANSITION_PANIC", step, cause }));
}
