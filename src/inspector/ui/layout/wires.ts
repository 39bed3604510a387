// Routes the wires: right angles with round corners, in the gaps between columns and lanes, never
// through a box. Back wires run above the drawing.

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

/** Height of the tracks above the drawing for back wires. */
export function roomAbove(back: readonly Link[]): number {
  return back.length === 0 ? 0 : back.length * TRACK * 2 + TRACK;
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
  return links.flatMap((link) => {
    const from = grid.cells.get(link.from);
    const to = grid.cells.get(link.to);
    if (from === undefined || to === undefined) return [];
    const start = { x: from.x + from.width, y: from.y + PORT };
    const end = { x: to.x, y: to.y + PORT };
    const isFree = (lane: number): boolean => {
      for (let column = from.column + 1; column < to.column; column += 1)
        if (isBoxAt(column, lane)) return false;
      return true;
    };
    if (from.lane === to.lane && isFree(from.lane)) return [routed(link, [start, end], middleOf(start, end))];
    const behind = (grid.rightOf[from.column] ?? start.x) + 2 * TRACK;
    const before = (grid.leftOf[to.column] ?? end.x) - 2 * TRACK;
    if (isFree(to.lane)) {
      const x = behind + (link.kind === "Linear" ? 0 : turnIn(`after ${from.column}`) * 4);
      return [routed(link, [start, { x, y: start.y }, { x, y: end.y }, end], { x: x + TRACK, y: end.y })];
    }
    if (isFree(from.lane)) {
      const points = [start, { x: before, y: start.y }, { x: before, y: end.y }, end];
      return [routed(link, points, { x: behind, y: start.y })];
    }
    const y = (grid.bottomOf[Math.max(from.lane, to.lane)] ?? 0) + LANE_GAP / 2;
    const points = [
      start,
      { x: behind, y: start.y },
      { x: behind, y },
      { x: before, y },
      { x: before, y: end.y },
      end,
    ];
    return [routed(link, points, { x: behind + TRACK, y })];
  });
}

/** From the right side of the source, above the drawing, to the left side of the target. */
export function routeBack(links: readonly Link[], grid: Grid): Route[] {
  return links.flatMap((link, n) => {
    const from = grid.cells.get(link.from);
    const to = grid.cells.get(link.to);
    if (from === undefined || to === undefined) return [];
    const y = TRACK + n * 2 * TRACK;
    const right = (grid.rightOf[from.column] ?? 0) + TRACK;
    const left = (grid.leftOf[to.column] ?? 0) - TRACK;
    const points = [
      { x: from.x + from.width, y: from.y + PORT - 12 },
      { x: right, y: from.y + PORT - 12 },
      { x: right, y },
      { x: left, y },
      { x: left, y: to.y + PORT - 12 },
      { x: to.x, y: to.y + PORT - 12 },
    ];
    return [routed(link, points, { x: (left + right) / 2, y })];
  });
}

/** A compensation is in the column of its step: the wire runs down beside it and enters from the left. */
export function routeUndo(links: readonly Link[], grid: Grid): Route[] {
  return links.flatMap((link) => {
    const from = grid.cells.get(link.from);
    const to = grid.cells.get(link.to);
    if (from === undefined || to === undefined) return [];
    const x = Math.min(from.x, to.x) - TRACK;
    const points = [
      { x: from.x, y: from.y + from.height - 12 },
      { x, y: from.y + from.height - 12 },
      { x, y: to.y + PORT },
      { x: to.x, y: to.y + PORT },
    ];
    return [routed(link, points, { x: x + TRACK, y: to.y - TRACK })];
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

const routed = (link: Link, points: readonly Point[], labelAt: Point): Route => ({ link, points, labelAt });
const middleOf = (a: Point, b: Point): Point => ({ x: a.x + 2 * TRACK, y: (a.y + b.y) / 2 });
const lengthOf = (a: Point, b: Point): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
const towards = (from: Point, to: Point, by: number): Point => {
  const length = lengthOf(from, to);
  if (length === 0) return from;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
};
