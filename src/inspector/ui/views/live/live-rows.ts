// What of the feed stands in the stream: newest first, so many and no more; what came while
// the reader reads waits above, counted, until it is asked for.

import type { FeedEvent } from "../../../api/events.js";

export type LiveRow =
  | { readonly kind: "event"; readonly key: string; readonly event: FeedEvent }
  /** So many were not sent at that place. */
  | { readonly kind: "lost"; readonly key: string; readonly count: number };

const MAX_ROWS = 2000;

export interface Stream {
  readonly rows: readonly LiveRow[];
  /** Newer than `rows`, newest first; held back. */
  readonly waiting: readonly LiveRow[];
  /** Of `waiting`, what had to make room. */
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
  // Only what can be kept is made into rows.
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

/** What waited comes in. */
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
