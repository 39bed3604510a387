// Lays out a Schematic in rows from left to right, deterministically.

import type { EdgeKind, Schematic, SchematicNode } from "#core/flow/schematic.js";
import { gridOf } from "./grid.js";
import { laneAll } from "./lanes.js";
import { rankAll } from "./ranks.js";
import {
  GROUP_HEAD,
  GROUP_PADDING,
  hasMarks,
  LINE,
  PILL,
  PORT,
  type Shape,
  type Size,
  SLIM,
  STEP,
  shapeOf,
} from "./size.js";
import { graphOf, type Vertex } from "./vertices.js";
import { pathOf, type Route, routeBack, routeForward, routeUndo } from "./wires.js";

export interface Box {
  readonly node: SchematicNode;
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Number of open subgraphs around it. */
  readonly depth: number;
}

export interface Wire {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly label: string | undefined;
  readonly d: string;
  /** Its area in the drawing. */
  readonly extent: Extent;
  readonly labelAt: { readonly x: number; readonly y: number };
}

export interface Extent {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Drawing {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly width: number;
  readonly height: number;
}

/** What a group and the turns of its row take from the width inside. */
const GROUP_MARGIN = 2 * GROUP_PADDING + 64;

/**
 * `open`: ids of the expanded subgraphs. `available`: the width at which it breaks into rows; a wider
 * column exceeds it.
 */
export function arrange(
  schematic: Schematic,
  open: ReadonlySet<string> = new Set(),
  available = Number.POSITIVE_INFINITY,
  depth = 0,
): Drawing {
  const boxes: Box[] = [];
  const wires: Wire[] = [];
  const graph = graphOf(schematic);
  const ranks = rankAll(graph);
  const inside = new Map<string, Drawing>();
  for (const { id, nodes } of graph.vertices) {
    const inner = nodes[0]?.schematic;
    if (inner === undefined || !open.has(id)) continue;
    inside.set(id, arrange(inner, open, available - GROUP_MARGIN, depth + 1));
  }
  const grid = gridOf({
    vertices: graph.vertices,
    ranks,
    lanes: laneAll(graph.vertices, ranks),
    sizeOf: (vertex) => sizeOf(vertex, inside.get(vertex.id)),
    available,
  });
  for (const vertex of graph.vertices) {
    const cell = grid.cells.get(vertex.id);
    if (cell === undefined) continue;
    const inner = inside.get(vertex.id);
    boxes.push(...boxesOf(vertex, cell, inner !== undefined, depth));
    if (inner === undefined) continue;
    const [dx, dy] = [cell.x + GROUP_PADDING, cell.y + GROUP_HEAD + GROUP_PADDING / 2];
    for (const box of inner.boxes) boxes.push({ ...box, x: box.x + dx, y: box.y + dy });
    for (const wire of inner.wires) wires.push(moved(wire, dx, dy));
  }
  const undo = graph.links.filter(({ kind }) => kind === "Compensation");
  const routes = [
    ...routeForward(ranks.forward, grid),
    ...routeBack(ranks.back, grid),
    ...routeUndo(undo, grid),
  ];
  wires.push(...routes.map(wireOf));
  return { boxes, wires, width: grid.width, height: grid.height };
}

function sizeOf({ nodes }: Vertex, inner: Size | undefined): Size {
  if (inner !== undefined)
    return {
      width: Math.max(STEP.width, inner.width + 2 * GROUP_PADDING),
      height: inner.height + GROUP_HEAD + GROUP_PADDING * 1.5,
    };
  const shape = shapeOf(nodes[0] as SchematicNode);
  if (shape === "slim")
    return { width: SLIM.width, height: PORT - SLIM.height / 2 + nodes.length * SLIM.height };
  if (shape === "pill") return { width: PILL.width, height: PORT + PILL.height / 2 };
  return nodes.some(hasMarks) ? { ...STEP, height: STEP.height + LINE } : STEP;
}

/** The rows of a stack touch: a wire enters at the first row and leaves at the last. */
function boxesOf(
  { nodes }: Vertex,
  cell: Size & { x: number; y: number },
  isOpen: boolean,
  depth: number,
): Box[] {
  return nodes.map((node, n) => {
    const shape = isOpen ? "group" : shapeOf(node);
    if (shape === "slim") {
      const y = cell.y + PORT - SLIM.height / 2 + n * SLIM.height;
      return { node, shape, depth, x: cell.x, y, ...SLIM };
    }
    if (shape === "pill")
      return { node, shape, depth, x: cell.x, y: cell.y + PORT - PILL.height / 2, ...PILL };
    return { node, shape, depth, x: cell.x, y: cell.y, width: cell.width, height: cell.height };
  });
}

function wireOf({ link, points, labelAt }: Route): Wire {
  const { from, to, kind, label } = link;
  return { from, to, kind, label, d: pathOf(points), extent: extentOf(points), labelAt };
}

/** A path contains only pairs of absolute coordinates. */
function moved(wire: Wire, dx: number, dy: number): Wire {
  const d = wire.d.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x: string, y: string) => `${+x + dx} ${+y + dy}`);
  const { extent, labelAt } = wire;
  return {
    ...wire,
    d,
    extent: { ...extent, x: extent.x + dx, y: extent.y + dy },
    labelAt: { x: labelAt.x + dx, y: labelAt.y + dy },
  };
}

function extentOf(points: Route["points"]): Extent {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
