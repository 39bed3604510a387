// What Faults were answered, told to who has recorded them. Only who answers asks the program
// what its error says (`toReply`, `toProblemDetail`, `onFault`, `toJSON`): that a run is watched
// changes nothing of what the program is asked, nor how often.

import type { Fault } from "#core/outcome.js";
import type { Reply } from "#core/reply.js";
import type { FaultAnswer } from "./fault-problem.js";

type Told = (answer: FaultAnswer | Reply<unknown>) => void;

/** Runs at once that end with the same Fault, of those that are told. */
const MAX_WAITING = 16;

/** By the Fault, and not by its error: programs share errors among runs more often than Faults. */
const waiting = new WeakMap<Fault<unknown>, Told[]>();

/** Once a run's Fault is answered. Of runs at once that share one, the first answer is told for all. */
export function whenAnswered(fault: Fault<unknown>, told: Told): void {
  const others = waiting.get(fault);
  if (others === undefined) waiting.set(fault, [told]);
  else if (others.length < MAX_WAITING) others.push(told);
}

/** A Fault is answered with this. Where nobody waits for it this is one look at the Fault's hash. */
export function noteAnswer(fault: Fault<unknown>, answer: FaultAnswer | Reply<unknown>): void {
  const all = waiting.get(fault);
  if (all === undefined) return;
  waiting.delete(fault);
  for (const told of all) {
    try {
      told(answer);
    } catch {
      // A text of the answer that is none: it is not recorded, and answered all the same.
    }
  }
}
