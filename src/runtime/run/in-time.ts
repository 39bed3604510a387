import type { Clock } from "#core/clock.js";

/** The answer, or a rejection if it takes longer than `timeoutMs`. */
export function inTime<T>(pending: Promise<T>, timeoutMs: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () =>
      reject(new Error(`No answer within ${timeoutMs} milliseconds`)),
    );
    pending.then(resolve, reject).finally(cancel);
  });
}
