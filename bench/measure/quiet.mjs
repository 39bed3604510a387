import { setTimeout as sleep } from "node:timers/promises";

/** What a control may differ from 1: what is judged beside a wider one is the machine. */
export const WIDEST = 0.03;
const WAIT_MS = 60_000;

export const isTooWide = ({ median }) => Math.abs(median - 1) > WIDEST;

/**
 * Measures again, a minute later each time, while the control is too wide: up to `tries` times in all.
 * Answers what was measured last.
 */
export async function measureWhenQuiet(measure, { tries, progress, pause = sleep }) {
  for (let attempt = 1; ; attempt += 1) {
    const measured = await measure();
    if (!isTooWide(measured.control) || attempt >= tries) return measured;
    const wide = Math.abs(measured.control.median - 1) * 100;
    progress(
      `the control differs by ${wide.toFixed(1)} %, too much to judge by: waiting a minute, then measuring again (${attempt + 1} of ${tries})`,
    );
    await pause(WAIT_MS);
  }
}
