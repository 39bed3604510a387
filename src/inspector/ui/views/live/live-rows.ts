// The rows of the live view, newest first and limited. Events that arrive while the list is paused
// wait above it, with a count.

import type { FeedEvent } from "../../../api/events.js";

export type LiveRow =
  | { readonly kind: "event"; readonly key: string; readonly event: FeedEvent }
  /** Number of events dropped at this place. */
  | { readonly kind: "lost"; readonly key: string; readonly count: number };

const MAX_ROWS = 2000;

export interface Stream {
  readonly rows: readonly LiveRow[];
  /** Events newer than `rows`, newest first, not shown yet. */
  readonly waiting: readonly LiveRow[];
  /** Number of waiting events that were evicted. */
  readonly skipped: number;
  readonly lost: number;
  readonly seen: number;
}

export const emptyStream: Stream = { rows: [], waiting: [], skipped: 0, lost: 0, seen: 0 };

export function takeBatch(
  stream: Stream,
  events: readonly FeedEvent[],
  lost: number,
  isHeldBack: boolean,
): Stream {
  const fresh: LiveRow[] = [];
  // Makes rows of events up to the limit only.
  for (let n = events.length - 1; n >= 0 && fresh.length < MAX_ROWS; n -= 1) {
    const event = events[n] as FeedEvent;
    fresh.push({ kind: "event", key: String(event.seq), event });
  }
  if (lost > 0) fresh.push({ kind: "lost", key: `lost ${stream.seen} ${stream.lost}`, count: lost });
  const counted = { lost: stream.lost + lost, seen: stream.seen + events.length };
  if (!isHeldBack) {
    const rows = joined(fresh, joined(stream.waiting, stream.rows));
    return { rows, waiting: [], skipped: 0, ...counted };
  }
  const waiting = joined(fresh, stream.waiting);
  const cut =
    fresh.length +
    stream.waiting.length -
    waiting.length +
    (events.length - Math.min(events.length, MAX_ROWS));
  return { ...stream, waiting, skipped: stream.skipped + cut, ...counted };
}

/** Shows the waiting events. */
export const releaseAll = (stream: Stream): Stream => ({
  ...stream,
  rows: joined(stream.waiting, stream.rows),
  waiting: [],
  skipped: 0,
});

function joined(newer: readonly LiveRow[], older: readonly LiveRow[]): readonly LiveRow[] {
  if (newer.length >= MAX_ROWS) return newer.slice(0, MAX_ROWS);
  return newer.length === 0 ? older : [...newer, ...older.slice(0, MAX_ROWS - newer.length)];
}
