// Sessions whose time is up are forgotten in batches, each minute: what a store keeps on a disk
// does not go away by itself.

import { Axon, isFault } from "framework";
import { CleanupSessions, type Sessions } from "framework/std";

const BATCH = 500;

/** Answers what stops it. */
export function cleanEachMinute(sessions: Sessions): () => void {
  const clean = Axon.start("clean-sessions").then(new CleanupSessions(sessions, { batch: BATCH }));
  const timer = setInterval(async () => {
    for (;;) {
      const forgotten = await clean.execute(undefined);
      if (isFault(forgotten) || forgotten < BATCH) break;
    }
  }, 60_000);
  return () => clearInterval(timer);
}
