// Tells recorders how a Fault was answered. Only the response asks the program what its error says, so
// watching a run does not change what the program is asked.

import type { Fault } from "#core/bus/outcome.js";
import type { Reply } from "#core/bus/reply.js";
import type { FaultAnswer } from "./fault-problem.js";

type Told = (answer: FaultAnswer | Reply<unknown>) => void;

/** By the id of the run's request. */
interface Waiting {
  readonly requestId: string;
  readonly told: Told;
}

/** Of concurrent runs with the same Fault; the oldest is dropped. */
const MAX_WAITING = 16;

/** By the Fault: programs share errors among runs more often. */
const waiting = new WeakMap<Fault<unknown>, readonly Waiting[]>();

export function whenAnswered(fault: Fault<unknown>, requestId: string, told: Told): void {
  const others = waiting.get(fault) ?? [];
  waiting.set(fault, [...others.slice(1 - MAX_WAITING), { requestId, told }]);
}

/** The Fault is not sent. */
export function forgetAnswer(fault: Fault<unknown>, requestId: string): void {
  if (waiting.has(fault)) taken(fault, requestId);
}

/** One hash look-up where there is no listener. */
export function noteAnswer(
  fault: Fault<unknown>,
  requestId: string,
  answer: FaultAnswer | Reply<unknown>,
): void {
  if (!waiting.has(fault)) return;
  for (const { told } of taken(fault, requestId)) {
    try {
      told(answer);
    } catch {
      // The answer's text is invalid: sent, but not recorded.
    }
  }
}

/** Removes and returns those of this request. */
function taken(fault: Fault<unknown>, requestId: string): readonly Waiting[] {
  const all = waiting.get(fault) ?? [];
  const others = all.filter((one) => one.requestId !== requestId);
  if (others.length === 0) waiting.delete(fault);
  else waiting.set(fault, others);
  return all.filter((one) => one.requestId === requestId);
}
