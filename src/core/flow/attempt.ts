import { type Fault, fault } from "../bus/outcome.js";
import { ProblemDetail } from "../bus/problem-detail.js";
import { isThenable } from "../thenable.js";

/**
 * Runs `fn`. A ProblemDetail that it throws or rejects with becomes a fault. Any other error is
 * rethrown. For helpers far below a step, which cannot return its fault:
 *
 *     thenFn("book", (order) => attempt(() => bookings.place(order)))
 */
export function attempt<T>(fn: () => PromiseLike<T>): Promise<T | Fault<ProblemDetail>>;
export function attempt<T>(fn: () => T): T | Fault<ProblemDetail>;
export function attempt(fn: () => unknown): unknown {
  try {
    const answer = fn();
    return isThenable(answer) ? Promise.resolve(answer).catch(asFault) : answer;
  } catch (thrown) {
    return asFault(thrown);
  }
}

function asFault(thrown: unknown): Fault<ProblemDetail> {
  if (thrown instanceof ProblemDetail) return fault(thrown);
  throw thrown;
}
