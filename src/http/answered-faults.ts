// What Faults were answered, told to who has recorded them. Only who answers asks the program
// what its error says (`toReply`, `toProblemDetail`, `onFault`, `toJSON`): that a run is watched
// changes nothing of what the program is asked, nor how often.

import type { Fault } from "#core/outcome.js";
import type { Reply } from "#core/reply.js";
import type { FaultAnswer } from "./fault-problem.js";

type Told = (answer: FaultAnswer | Reply<unknown>) => void;

/** Of a run, by the id of the request that it answers. */
interface Waiting {
  readonly requestId: string;
  readonly told: Told;
}

/** Runs at once that end with the same Fault, of those that are told: the last of them. */
const MAX_WAITING = 16;

/** By the Fault, and not by its error: programs share errors among runs more often than Faults. */
const waiting = new WeakMap<Fault<unknown>, readonly Waiting[]>();

/** Once the Fault of a request's run is answered. */
export function whenAnswered(fault: Fault<unknown>, requestId: string, told: Told): void {
  const others = waiting.get(fault) ?? [];
  waiting.set(fault, [...others.slice(1 - MAX_WAITING), { requestId, told }]);
}

/** Nobody is answered the Fault that a request's run has ended with. */
export function forgetAnswer(fault: Fault<unknown>, requestId: string): void {
  if (waiting.has(fault)) taken(fault, requestId);
}

/** A request is answered its Fault with this. Where nobody waits for it this is one look at the Fault's hash. */
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
      // A text of the answer that is none: it is not recorded, and answered all the same.
    }
  }
}

/** Those that wait for this request, who no longer do. */
function taken(fault: Fault<unknown>, requestId: string): readonly Waiting[] {
  const all = waiting.get(fault) ?? [];
  const others = all.filter((one) => one.requestId !== requestId);
  if (others.length === 0) waiting.delete(fault);
  else waiting.set(fault, others);
  return all.filter((one) => one.requestId === requestId);
}
