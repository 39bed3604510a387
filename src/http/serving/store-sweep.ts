// Deletes what the stores of a server keep no longer, once an hour.

import { type Clock, systemClock } from "#core/clock.js";
import type { StoreSet } from "#core/ports/store-set.js";

const HOUR_MS = 3_600_000;

/** Returns a function that ends it. Processes that began together take turns. */
export function sweepHourly(
  { sweep }: Pick<StoreSet, "sweep">,
  clock: Clock = systemClock,
  random = Math.random,
): () => void {
  if (sweep === undefined) return () => {};
  let cancel = (): void => {};
  let isOver = false;
  const wait = (ms: number): void => {
    if (!isOver) cancel = clock.after(ms, () => void swept(sweep).then(() => wait(HOUR_MS)));
  };
  // A process that is restarted often has its turn, too.
  wait(random() * HOUR_MS);
  return () => {
    isOver = true;
    cancel();
  };
}

async function swept(sweep: () => Promise<unknown>): Promise<void> {
  try {
    await sweep();
  } catch {
    // It is tried again in an hour; a store that is away is reported by whatever needs it.
  }
}
