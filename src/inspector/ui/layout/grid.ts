// Positions from columns, rows and lanes. A column is as wide as its widest box; a lane is, in each
// row, as high as its highest box there. The boxes of a lane have their ports on one line.

import type { Lanes } from "./lanes.js";
import type { Ranks } from "./ranks.js";
import { type Rows, rowsOf } from "./rows.js";
import { LANE_GAP, type Size, STEP, TRACK } from "./size.js";
import type { Vertex } from "./vertices.js";

export interface Cell {
  readonly column: number;
  readonly lane: number;
  readonly row: number;
  readonly x: number;
  /** Top of the lane. */
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Grid extends Pick<Rows, "leftOf" | "rightOf" | "trackOf"> {
  readonly cells: ReadonlyMap<string, Cell>;
  bottomOf(row: number, lane: number): number;
  /** Top of the space above a row. */
  channelOf(row: number): number;
  readonly width: number;
  readonly height: number;
}

export interface GridOptions {
  readonly vertices: readonly Vertex[];
  readonly ranks: Ranks;
  readonly lanes: Lanes;
  readonly sizeOf: (vertex: Vertex) => Size;
  readonly available: number;
}

export function gridOf({ vertices, ranks, lanes, sizeOf, available }: GridOptions): Grid {
  const at = vertices.map((vertex) => ({
    id: vertex.id,
    column: ranks.rank.get(vertex.id) ?? 0,
    lane: lanes.lane.get(vertex.id) ?? 0,
    size: sizeOf(vertex),
  }));
  const widths = new Array<number>(Math.max(0, ...at.map(({ column }) => column + 1))).fill(0);
  for (const { column, size } of at) widths[column] = Math.max(widths[column] ?? 0, size.width);
  const { rowOf, tracks, ...columns } = rowsOf(widths, ranks, available);

  const heights = tracks.map(() => new Map<number, number>());
  const inRow = tracks.map((): (typeof at)[number][] => []);
  for (const one of at) {
    const { column, lane, size } = one;
    inRow[rowOf[column] ?? 0]?.push(one);
    // A tall box hangs down if the lanes below are free: a stack at the entrance, an open subgraph.
    const hangs = !lanes.taken.slice(lane + 1).some((taken) => taken.has(column));
    const height = hangs ? Math.min(size.height, STEP.height) : size.height;
    const ofRow = heights[rowOf[column] ?? 0];
    ofRow?.set(lane, Math.max(ofRow.get(lane) ?? 0, height));
  }
  const cells = new Map<string, Cell>();
  const channels: number[] = [];
  const tops: Map<number, number>[] = [];
  let y = 0;
  for (const [row, ofRow] of heights.entries()) {
    channels.push(y);
    const count = tracks[row] ?? 0;
    y += (count === 0 ? 0 : (count + 1) * TRACK) + (row === 0 ? 0 : LANE_GAP);
    const ofLane = new Map<number, number>();
    for (const [lane, height] of [...ofRow].sort(([a], [b]) => a - b)) {
      ofLane.set(lane, y);
      y += height + LANE_GAP;
    }
    y -= LANE_GAP;
    tops.push(ofLane);
    for (const { id, column, lane, size } of inRow[row] ?? []) {
      const middle = ((columns.leftOf[column] ?? 0) + (columns.rightOf[column] ?? 0) - size.width) / 2;
      const cell = { column, lane, row, x: middle, y: ofLane.get(lane) ?? 0, ...size };
      cells.set(id, cell);
      y = Math.max(y, cell.y + cell.height);
    }
  }
  return {
    ...columns,
    cells,
    bottomOf: (row, lane) => (tops[row]?.get(lane) ?? 0) + (heights[row]?.get(lane) ?? 0),
    channelOf: (row) => channels[row] ?? 0,
    height: y,
  };
}
