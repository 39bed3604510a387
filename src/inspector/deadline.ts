import type { Clock } from "#core/clock.js";

/** Answered in place of what is not there in time. */
export const LATE = Symbol("late");

/** How long an operator waits for a run that was begun for them. */
const ANSWER_MS = 5000;

/** What a promise comes to within ANSWER_MS, or LATE: then whoever asks looks after its rejection. */
export function withDeadline<T>(clock: Clock, promise: Promise<T>): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ANSWER_MS, () => resolve(LATE));
    promise.then(resolve, reject).finally(cancel);
  });
}
