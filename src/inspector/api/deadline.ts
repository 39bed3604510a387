import type { Clock } from "#core/clock.js";

/** The result of `withDeadline` after the deadline. */
export const LATE = Symbol("late");

/** How long an operator waits for a run that the request started. */
const ANSWER_MS = 5000;

/**
 * Resolves as the promise does, or to LATE after ANSWER_MS. After LATE the caller handles the
 * promise's rejection.
 */
export function withDeadline<T>(clock: Clock, promise: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ANSWER_MS, () => resolve(LATE));
    promise.then(resolve, reject).finally(cancel);
  });
}
