// Waiting with an end. Times are of `performance.now()`.

import { setTimeout as pause } from "node:timers/promises";

/** How often a stopping server looks whether it is idle: counting costs requests nothing then. */
const LOOKED_EVERY_MS = 10;

/** Waits for the promise, however it ends, or until then. */
export function within(endsAt: number, promise: Promise<unknown> = Promise.resolve()): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.max(0, endsAt - performance.now()));
    void Promise.allSettled([promise]).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Whether it came true in time. */
export async function until(isTrue: () => boolean, endsAt: number): Promise<boolean> {
  while (!isTrue()) {
    if (performance.now() >= endsAt) return false;
    await pause(LOOKED_EVERY_MS);
  }
  return true;
}
