// Routes the wires: right angles with round corners, in the gaps between columns, lanes and rows,
// never through a box.

import type { Cell, Grid } from "./grid.js";
import { LANE_GAP, PORT, TRACK } from "./size.js";
import type { Link } from "./vertices.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Route {
  readonly link: Link;
  readonly points: readonly Point[];
  readonly labelAt: Point;
}

export function routeForward(links: readonly Link[], grid: Grid): Route[] {
  const isBoxAt = boxesOf(grid);
  // Wires that turn in one gap use adjacent tracks.
  const turns = new Map<string, number>();
  const turnIn = (gap: string): number => {
    const used = turns.get(gap) ?? 0;
    turns.set(gap, used + 1);
    return used % 4;
  };
  return routed(links, grid, (link, from, to) => {
    const start = { x: from.x + from.width, y: from.y + PORT };
    const end = { x: to.x, y: to.y + PORT };
    const behind = (grid.rightOf[from.column] ?? start.x) + 2 * TRACK;
    const before = (grid.leftOf[to.column] ?? end.x) - 2 * TRACK;
    if (from.row !== to.row) {
      const x = behind + turnIn(`below ${from.column}`) * 4;
      const points = [start, ...between({ link, grid, from, to, x, before }, from.row + 1), end];
      return { link, points, labelAt: { x: x + 4, y: grid.bottomOf(from.row, from.lane) + LANE_GAP / 2 } };
    }
    const isFree = (lane: number): boolean => {
      for (let column = from.column + 1; column < to.column; column += 1)
        if (isBoxAt(column, lane)) return false;
      return true;
    };
    if (from.lane === to.lane && isFree(from.lane))
      return { link, points: [start, end], labelAt: { x: start.x + 2 * TRACK, y: start.y } };
    if (isFree(to.lane)) {
      const x = behind + (link.kind === "Linear" ? 0 : turnIn(`after ${from.column}`) * 4);
      const points = [start, { x, y: start.y }, { x, y: end.y }, end];
      return { link, points, labelAt: { x: x + TRACK, y: end.y } };
    }
    if (isFree(from.lane)) {
      const points = [start, { x: before, y: start.y }, { x: before, y: end.y }, end];
      return { link, points, labelAt: { x: behind, y: start.y } };
    }
    const y = grid.bottomOf(from.row, Math.max(from.lane, to.lane)) + LANE_GAP / 2;
    const points = [
      ...[start, { x: behind, y: start.y }, { x: behind, y }],
      ...[{ x: before, y }, { x: before, y: end.y }, end],
    ];
    return { link, points, labelAt: { x: behind + TRACK, y } };
  });
}

/** From the right side of the source, above its row, to the left side of the target. */
export function routeBack(links: readonly Link[], grid: Grid): Route[] {
  return routed(links, grid, (link, from, to) => {
    const start = { x: from.x + from.width, y: from.y + PORT - 12 };
    const end = { x: to.x, y: to.y + PORT - 12 };
    const x = (grid.rightOf[from.column] ?? 0) + TRACK;
    const before = (grid.leftOf[to.column] ?? 0) - TRACK;
    const way = between({ link, grid, from, to, x, before, port: PORT - 12 }, from.row);
    const y = way[1]?.y ?? start.y;
    return { link, points: [start, ...way, end], labelAt: { x: (x + (way[2]?.x ?? x)) / 2, y } };
  });
}

interface Way {
  readonly link: Link;
  readonly grid: Grid;
  readonly from: Cell;
  readonly to: Cell;
  /** Where it turns behind the source, and before the target. */
  readonly x: number;
  readonly before: number;
  readonly port?: number;
}

/** Into the channel beside the source's row and, if the target's row has another, by the gutter into that. */
function between({ link, grid, from, to, x, before, port = PORT }: Way, leaving: number): readonly Point[] {
  const heightIn = (channel: number): number =>
    grid.channelOf(channel) + (grid.trackOf(link, channel) + 1) * TRACK + (channel === 0 ? 0 : LANE_GAP / 2);
  const first = heightIn(leaving);
  const last = heightIn(to.row);
  const gutter = grid.trackOf(link) * TRACK + TRACK / 2;
  return [
    { x, y: from.y + port },
    { x, y: first },
    ...(leaving === to.row ? [] : [{ x: gutter, y: first }, ...[{ x: gutter, y: last }]]),
    { x: before, y: last },
    { x: before, y: to.y + port },
  ];
}

/** A compensation is in the column of its step: the wire runs down beside it and enters from the left. */
export function routeUndo(links: readonly Link[], grid: Grid): Route[] {
  return routed(links, grid, (link, from, to) => {
    const x = Math.min(from.x, to.x) - TRACK;
    const points = [
      { x: from.x, y: from.y + from.height - 12 },
      { x, y: from.y + from.height - 12 },
      { x, y: to.y + PORT },
      { x: to.x, y: to.y + PORT },
    ];
    return { link, points, labelAt: { x: x + TRACK, y: to.y - TRACK } };
  });
}

function routed(
  links: readonly Link[],
  { cells }: Grid,
  route: (link: Link, from: Cell, to: Cell) => Route,
): Route[] {
  return links.flatMap((link) => {
    const [from, to] = [cells.get(link.from), cells.get(link.to)];
    return from === undefined || to === undefined ? [] : [route(link, from, to)];
  });
}

/** The `d` attribute of an SVG path. */
export function pathOf(points: readonly Point[], radius = TRACK): string {
  const [first, ...rest] = points as [Point, ...Point[]];
  let d = `M${first.x} ${first.y}`;
  rest.forEach((corner, n) => {
    const next = rest[n + 1];
    const before = points[n] as Point;
    if (next === undefined) {
      d += `L${corner.x} ${corner.y}`;
      return;
    }
    const r = Math.min(radius, lengthOf(before, corner) / 2, lengthOf(corner, next) / 2);
    const [a, b] = [towards(corner, before, r), towards(corner, next, r)];
    d += `L${a.x} ${a.y}Q${corner.x} ${corner.y} ${b.x} ${b.y}`;
  });
  return d;
}

function boxesOf(grid: Grid): (column: number, lane: number) => boolean {
  const boxes = new Set([...grid.cells.values()].map(({ column, lane }: Cell) => `${column} ${lane}`));
  return (column, lane) => boxes.has(`${column} ${lane}`);
}

const lengthOf = (a: Point, b: Point): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
const towards = (from: Point, to: Point, by: number): Point => {
  const length = lengthOf(from, to);
  if (length === 0) return from;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
};
