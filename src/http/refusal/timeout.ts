import { setTimeout as pause } from "node:timers/promises";

/** Polling, so that counting costs requests nothing. */
const LOOKED_EVERY_MS = 10;

/** Waits until the promise settles, or `endsAt` of `performance.now()`. */
export function within(endsAt: number, promise: Promise<unknown> = Promise.resolve()): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, endsAt - performance.now()));
    void Promise.allSettled([promise]).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** False at `endsAt`. */
export async function until(isTrue: () => boolean, endsAt: number): Promise<boolean> {
  while (!isTrue()) {
    if (performance.now() >= endsAt) return false;
    await pause(LOOKED_EVERY_MS);
  }
  return true;
}

/** Settles as the promise does; rejects with `late` where that takes longer. */
export function inTime<T>(pending: Promise<T>, ms: number, late: string, keepsAlive = true): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(late)), ms);
    if (!keepsAlive) timer.unref();
    pending.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
