// Positions from columns and lanes. A column is as wide as its widest box, a lane as high as its
// highest. The boxes of a lane have their ports on one line.

import type { Lanes } from "./lanes.js";
import type { Ranks } from "./ranks.js";
import { COLUMN_GAP, LANE_GAP, type Size, STEP } from "./size.js";
import type { Link, Vertex } from "./vertices.js";

export interface Cell {
  readonly column: number;
  readonly lane: number;
  readonly x: number;
  /** Top of the lane. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Grid {
  readonly cells: ReadonlyMap<string, Cell>;
  /** Right edge of the column with that index. */
  readonly rightOf: readonly number[];
  readonly leftOf: readonly number[];
  readonly bottomOf: readonly number[];
  readonly width: number;
  readonly height: number;
}

export interface GridOptions {
  readonly vertices: readonly Vertex[];
  readonly ranks: Ranks;
  readonly lanes: Lanes;
  readonly sizeOf: (vertex: Vertex) => Size;
  /** Height reserved above for back wires. */
  readonly top: number;
}

export function gridOf({ vertices, ranks, lanes, sizeOf, top }: GridOptions): Grid {
  const at = vertices.map((vertex) => ({
    vertex,
    column: ranks.rank.get(vertex.id) ?? 0,
    lane: lanes.lane.get(vertex.id) ?? 0,
    size: sizeOf(vertex),
  }));
  const columns = Math.max(0, ...at.map(({ column }) => column + 1));
  const widths = new Array<number>(columns).fill(0);
  const heights = new Array<number>(lanes.count).fill(0);
  for (const { column, lane, size } of at) {
    widths[column] = Math.max(widths[column] ?? 0, size.width);
    // A tall box hangs down if the lanes below are free: a stack at the entrance, an open subgraph.
    const hangs = !lanes.taken.slice(lane + 1).some((taken) => taken.has(column));
    const height = hangs ? Math.min(size.height, STEP.height) : size.height;
    heights[lane] = Math.max(heights[lane] ?? 0, height);
  }
  const gaps = gapsBehind(columns, ranks.forward, ranks.rank);
  const leftOf: number[] = [];
  const rightOf: number[] = [];
  let x = 0;
  for (let column = 0; column < columns; column += 1) {
    leftOf.push(x);
    rightOf.push(x + (widths[column] ?? 0));
    x += (widths[column] ?? 0) + (gaps[column] ?? COLUMN_GAP);
  }
  const tops: number[] = [];
  let y = top;
  for (const height of heights) {
    tops.push(y);
    y += height + LANE_GAP;
  }
  const cells = new Map<string, Cell>();
  for (const { vertex, column, lane, size } of at) {
    const middle = ((leftOf[column] ?? 0) + (rightOf[column] ?? 0) - size.width) / 2;
    cells.set(vertex.id, { column, lane, x: middle, y: tops[lane] ?? 0, ...size });
  }
  return {
    cells,
    rightOf,
    leftOf,
    bottomOf: heights.map((height, lane) => (tops[lane] ?? 0) + height),
    width: Math.max(0, ...rightOf),
    height: Math.max(y - LANE_GAP, ...[...cells.values()].map((cell) => cell.y + cell.height), top),
  };
}

/** The gap leaves room for a label on its wire. */
function gapsBehind(columns: number, forward: readonly Link[], rank: ReadonlyMap<string, number>): number[] {
  const gaps = new Array<number>(columns).fill(COLUMN_GAP);
  const leaving = new Array<number>(columns).fill(0);
  for (const { from, label, kind } of forward) {
    const column = rank.get(from) ?? 0;
    if (kind !== "Linear") leaving[column] = (leaving[column] ?? 0) + 1;
    const words = label === undefined ? 0 : Math.min(label.length, 24) * 7 + 40;
    gaps[column] = Math.max(gaps[column] ?? 0, words);
  }
  return gaps.map((gap, column) => gap + Math.min(leaving[column] ?? 0, 6) * 4);
}
