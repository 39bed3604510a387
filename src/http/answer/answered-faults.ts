// Tells recorders which response a Fault was sent as. Only the response calls the error's methods, so
// watching a run does not change how often the program is called.

import type { Fault } from "#core/bus/outcome.js";
import type { Reply } from "#core/bus/reply.js";
import type { FaultAnswer } from "./fault-problem.js";

type Told = (answer: FaultAnswer | Reply<unknown>) => void;

/** A listener, with the id of the run's request. */
interface Waiting {
  readonly requestId: string;
  readonly told: Told;
}

/** Listeners per Fault, for concurrent runs that return the same one. The oldest is dropped. */
const MAX_WAITING = 16;

/** Keyed by the Fault, because programs share errors among runs more often than Faults. */
const waiting = new WeakMap<Fault<unknown>, readonly Waiting[]>();

export function whenAnswered(fault: Fault<unknown>, requestId: string, told: Told): void {
  const others = waiting.get(fault) ?? [];
  waiting.set(fault, [...others.slice(1 - MAX_WAITING), { requestId, told }]);
}

/** Drops the listeners of a Fault that is not sent. */
export function forgetAnswer(fault: Fault<unknown>, requestId: string): void {
  if (waiting.has(fault)) taken(fault, requestId);
}

/** Calls the listeners. Without listeners it costs one hash look-up. */
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
      // The text of the response is invalid: it is sent, but not recorded.
    }
  }
}

/** Removes and returns the listeners of this request. */
function taken(fault: Fault<unknown>, requestId: string): readonly Waiting[] {
  const all = waiting.get(fault) ?? [];
  const others = all.filter((one) => one.requestId !== requestId);
  if (others.length === 0) waiting.delete(fault);
  else waiting.set(fault, others);
  return all.filter((one) => one.requestId === requestId);
}
