import { setTimeout as pause } from "node:timers/promises";

/** Polling keeps notifications out of the request path. */
const POLL_MS = 10;

/** Resolves when `promise` settles, or at `endsAt` on the clock of `performance.now()`. */
export function within(endsAt: number, promise: Promise<unknown> = Promise.resolve()): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, endsAt - performance.now()));
    void Promise.allSettled([promise]).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Polls `isTrue`. Resolves to false at `endsAt`. */
export async function until(isTrue: () => boolean, endsAt: number): Promise<boolean> {
  while (!isTrue()) {
    if (performance.now() >= endsAt) return false;
    await pause(POLL_MS);
  }
  return true;
}

/** Settles like `pending`, or rejects with the message `late` after `ms` milliseconds. */
export function inTime<T>(pending: Promise<T>, ms: number, late: string, keepsAlive = true): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), ms);
    if (!keepsAlive) timer.unref();
    pending.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
