// Breaks the columns of a drawing into rows of its width, as text is broken into lines, and assigns
// the tracks of wires between rows. `channel` r is the space above row r; the gutter is the space to
// the left of all rows.

import type { Ranks } from "./ranks.js";
import { COLUMN_GAP, LABEL, TRACK } from "./size.js";
import type { Link } from "./vertices.js";

export interface Rows {
  /** The row of each column. */
  readonly rowOf: readonly number[];
  /** Left and right edge of each column. */
  readonly leftOf: readonly number[];
  readonly rightOf: readonly number[];
  readonly width: number;
  /** Number of tracks in each channel. */
  readonly tracks: readonly number[];
  /** The track of a link in a channel, or in the gutter without one. */
  trackOf(link: Link, channel?: number): number;
}

/** Lines that share a channel beyond these share tracks. */
const MOST_TRACKS = 8;
/** Room in which a wire turns into the first column of a row. */
const TURN = 3 * TRACK;

export function rowsOf(widths: readonly number[], { forward, back, rank }: Ranks, available: number): Rows {
  const gaps = gapsBehind(widths.length, forward, rank);
  const columnOf = (id: string): number => rank.get(id) ?? 0;
  let rowOf = broken(widths, gaps, available);
  let plan = tracksOf(forward, back, (id) => rowOf[columnOf(id)] ?? 0);
  if ((rowOf.at(-1) ?? 0) > 0) {
    rowOf = broken(widths, gaps, available - TURN - plan.gutter * TRACK);
    plan = tracksOf(forward, back, (id) => rowOf[columnOf(id)] ?? 0);
  }
  const rows = (rowOf.at(-1) ?? 0) + 1;
  const begin = rows > 1 ? TURN + plan.gutter * TRACK : 0;
  const leftOf: number[] = [];
  const rightOf: number[] = [];
  for (const [column, width] of widths.entries()) {
    const isFirst = column === 0 || rowOf[column] !== rowOf[column - 1];
    const left = isFirst ? begin : (rightOf[column - 1] ?? 0) + (gaps[column - 1] ?? 0);
    leftOf.push(left);
    rightOf.push(left + width);
  }
  const right = Math.max(
    0,
    ...rightOf.map((edge, column) => edge + (rows > 1 ? roomAfter(gaps, column) : 0)),
  );
  const tracks = Array.from({ length: rows }, (_, row) => plan.inChannel[row] ?? 0);
  return { rowOf, leftOf, rightOf, width: right, tracks, trackOf: plan.trackOf };
}

/** Behind the last column of a row there is room for a turn and a label. */
const roomAfter = (gaps: readonly number[], column: number): number =>
  Math.max(TURN, (gaps[column] ?? 0) - COLUMN_GAP / 2);

function broken(widths: readonly number[], gaps: readonly number[], available: number): readonly number[] {
  const rowOf: number[] = [];
  const whole = widths.reduce(
    (sum, width, n) => sum + width + (n + 1 < widths.length ? (gaps[n] ?? 0) : 0),
    0,
  );
  if (whole <= available) return widths.map(() => 0);
  let row = 0;
  let at = 0;
  for (const [column, width] of widths.entries()) {
    if (at > 0 && at + width + roomAfter(gaps, column) > available) {
      row += 1;
      at = 0;
    }
    rowOf.push(row);
    at += width + (gaps[column] ?? COLUMN_GAP);
  }
  return rowOf;
}

/** Wires to the same node share a track. */
function tracksOf(forward: readonly Link[], back: readonly Link[], rowOf: (id: string) => number) {
  const known = new Map<string, number>();
  const used = new Map<number | undefined, number>();
  const keyOf = ({ to, kind }: Link, channel: number | undefined): string =>
    `${channel} ${kind === "Jump"} ${to}`;
  const note = (link: Link, channel?: number): void => {
    const key = keyOf(link, channel);
    if (known.has(key)) return;
    const track = used.get(channel) ?? 0;
    known.set(key, track % MOST_TRACKS);
    used.set(channel, track + 1);
  };
  for (const link of forward) {
    const [from, to] = [rowOf(link.from), rowOf(link.to)];
    if (from === to) continue;
    note(link, from + 1);
    if (to === from + 1) continue;
    note(link);
    note(link, to);
  }
  for (const link of back) {
    const [from, to] = [rowOf(link.from), rowOf(link.to)];
    note(link, from);
    if (from === to) continue;
    note(link);
    note(link, to);
  }
  const inChannel: number[] = [];
  for (const [channel, count] of used)
    if (channel !== undefined) inChannel[channel] = Math.min(count, MOST_TRACKS);
  return {
    inChannel,
    gutter: Math.min(used.get(undefined) ?? 0, MOST_TRACKS),
    trackOf: (link: Link, channel?: number): number => known.get(keyOf(link, channel)) ?? 0,
  };
}

/** The gap leaves room for a label on its wire. */
function gapsBehind(columns: number, forward: readonly Link[], rank: ReadonlyMap<string, number>): number[] {
  const gaps = new Array<number>(columns).fill(COLUMN_GAP);
  const leaving = new Array<number>(columns).fill(0);
  for (const { from, label, kind } of forward) {
    const column = rank.get(from) ?? 0;
    if (kind !== "Linear") leaving[column] = (leaving[column] ?? 0) + 1;
    const words = label === undefined ? 0 : Math.min(label.length, LABEL) * 7.5 + COLUMN_GAP;
    gaps[column] = Math.max(gaps[column] ?? 0, words);
  }
  return gaps.map((gap, column) => gap + Math.min(leaving[column] ?? 0, 6) * 4);
}
