// A run's place among those of several processes, and the text by which a page names where
// it ended. It is made of what never changes of a run: when it ended or how long it took,
// then its process and its number there, so that no two runs have the same.

import type { TraceOrder } from "../traces/trace-cursor.js";
import type { PlacedRun } from "../traces/trace-store.js";

export interface SharedPlace {
  /** Microseconds: since 1970 until it ended, or that it took. */
  readonly us: number;
  readonly process: string;
  readonly seq: number;
}

export const sharedPlace = (
  order: TraceOrder,
  process: string,
  { seq, durationUs, endedUs }: PlacedRun,
): SharedPlace => ({ us: Math.round(order === "newest" ? endedUs : durationUs), process, seq });

/** Negative where `one` stands before `other`. */
export function compareShared(one: SharedPlace, other: SharedPlace): number {
  if (one.us !== other.us) return other.us - one.us;
  if (one.process !== other.process) return one.process < other.process ? -1 : 1;
  return other.seq - one.seq;
}

export const sharedCursor = (order: TraceOrder, { us, process, seq }: SharedPlace): string =>
  `${order}.${us}.${process}.${seq}`;

const CURSOR = /^(newest|slowest)\.(\d{1,16})\.([0-9a-f]{12})\.(\d{1,15})$/;

/** Undefined for a text that is none of this order. */
export function parseSharedCursor(order: TraceOrder, text: string): SharedPlace | undefined {
  const [, of, us, process, seq] = CURSOR.exec(text) ?? [];
  if (of !== order || process === undefined) return undefined;
  return { us: Number(us), process, seq: Number(seq) };
}
