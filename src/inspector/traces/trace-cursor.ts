// A run's place in a list of runs, of one process or several, and the cursor of a page, which is
// the place of its last run. A place never changes and no two runs share one: no run is on two
// pages, and none that stayed is missing.

import type { TraceRow } from "../api/traces.js";

export type TraceOrder = "newest" | "slowest";

export interface Place {
  /** 0 in the order `newest`. */
  readonly durationUs: number;
  /** Microseconds since 1970. Two runs of one process never end at the same one. */
  readonly endedUs: number;
  readonly runId: string;
}

export const placeOf = (
  order: TraceOrder,
  { run_id, ended_at, duration_us }: Pick<TraceRow, "run_id" | "ended_at" | "duration_us">,
): Place => ({
  durationUs: order === "slowest" ? Math.round(duration_us) : 0,
  endedUs: Math.round(ended_at * 1000),
  runId: run_id,
});

/** Negative if `one` comes before `other`. */
export function comparePlaces(one: Place, other: Place): number {
  if (one.durationUs !== other.durationUs) return other.durationUs - one.durationUs;
  if (one.endedUs !== other.endedUs) return other.endedUs - one.endedUs;
  return one.runId === other.runId ? 0 : one.runId < other.runId ? -1 : 1;
}

export const cursorText = (order: TraceOrder, { durationUs, endedUs, runId }: Place): string =>
  `${order}.${durationUs}.${endedUs}.${runId}`;

const CURSOR = /^(newest|slowest)\.(\d{1,16})\.(\d{1,16})\.([0-9a-z]{1,12}-[0-9a-z]{1,12})$/;

/** Undefined for a text of another order. */
export function parseCursor(order: TraceOrder, text: string): Place | undefined {
  const [, of, durationUs, endedUs, runId] = CURSOR.exec(text) ?? [];
  if (of !== order || runId === undefined) return undefined;
  return { durationUs: Number(durationUs), endedUs: Number(endedUs), runId };
}
