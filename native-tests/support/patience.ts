// Waiting for what happens. A busy machine takes its time, and how long is no defect.

import assert from "node:assert/strict";

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until it is so, and fails where that never comes. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > end) assert.fail(`It never came true: ${what}`);
    await pause(20);
  }
}
