// A run's place in a list of several processes' runs, and the cursor text of a page. It consists of
// values that never change: the run's end or duration, its process, its number there. No two runs
// have the same place.

import type { TraceOrder } from "../traces/trace-cursor.js";
import type { PlacedRun } from "../traces/trace-store.js";

export interface SharedPlace {
  /** Microseconds since 1970 at its end, or its duration. */
  readonly us: number;
  readonly process: string;
  readonly seq: number;
}

export const sharedPlace = (
  order: TraceOrder,
  process: string,
  { seq, durationUs, endedUs }: PlacedRun,
): SharedPlace => ({ us: Math.round(order === "newest" ? endedUs : durationUs), process, seq });

/** Negative if `one` comes before `other`. */
export function compareShared(one: SharedPlace, other: SharedPlace): number {
  if (one.us !== other.us) return other.us - one.us;
  if (one.process !== other.process) return one.process < other.process ? -1 : 1;
  return other.seq - one.seq;
}

export const sharedCursor = (order: TraceOrder, { us, process, seq }: SharedPlace): string =>
  `${order}.${us}.${process}.${seq}`;

const CURSOR = /^(newest|slowest)\.(\d{1,16})\.([0-9a-f]{12})\.(\d{1,15})$/;

/** Undefined for a text of another order. */
export function parseSharedCursor(order: TraceOrder, text: string): SharedPlace | undefined {
  const [, of, us, process, seq] = CURSOR.exec(text) ?? [];
  if (of !== order || process === undefined) return undefined;
  return { us: Number(us), process, seq: Number(seq) };
}
