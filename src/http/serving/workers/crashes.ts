// Crashes of workers: counted by the supervisor, which sends them to its workers for their
// metrics and alerts. An end after a signal to stop is no crash.

import type { WorkerCrashes } from "../../plan/extension.js";
import type { Ending, Life } from "./worker-process.js";

/** A worker that served for less than this ended soon after its start. */
const SHORT_LIFE_MS = 10_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 30_000;

const WINDOW_MS = 300_000;
/** Crashes within the window that are a crash loop. */
const LOOP = 3;
/** Bounds the list; the pauses allow fewer within the window. */
const MAX_KEPT = 500;

/**
 * Time before a worker is started again, after its `shortLives`-th short life in a row. It does not
 * grow if no other worker runs: the service is down meanwhile.
 */
export function pauseMs(shortLives: number, runsAlone: boolean): number {
  if (shortLives < 2) return 0;
  return runsAlone ? FIRST_PAUSE_MS : Math.min(FIRST_PAUSE_MS * 2 ** (shortLives - 2), MAX_PAUSE_MS);
}

export const isShortLife = ({ isAsked, servedMs }: Life): boolean => !isAsked && servedMs < SHORT_LIFE_MS;

/** Exit code 0 is no crash after a longer life: a program may recycle its workers. */
const isCrash = (ending: Ending): boolean => isShortLife(ending) || !(ending.isAsked || ending.isClean);

/** Counts one end of a worker. Returns undefined if it is no crash. */
export function withCrash(
  crashes: WorkerCrashes,
  worker: number,
  ending: Ending,
  now: number,
): WorkerCrashes | undefined {
  if (!isCrash(ending)) return undefined;
  return {
    totals: crashes.totals.map((total, at) => (at === worker - 1 ? total + 1 : total)),
    at: [...crashes.at.filter((at) => now - at < WINDOW_MS), now].slice(-MAX_KEPT),
    last: `worker ${worker} ${ending.how}`,
  };
}

/** Describes a crash loop: "Workers ended 5 times within 5 minutes, the last one worker 3 with code 7". */
export function crashLoop({ at, last }: WorkerCrashes, now: number): string | undefined {
  const recent = at.filter((one) => now - one < WINDOW_MS).length;
  if (recent < LOOP) return undefined;
  return `Workers ended ${recent} times within ${WINDOW_MS / 60_000} minutes, the last one ${last}`;
}
