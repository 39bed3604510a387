// Sizes of the drawing in CSS pixels, for text of 13 px.

import type { SchematicNode } from "#core/flow/schematic.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shape of a node: "slim" is a row of a stack at the entrance, "pill" a pill. */
export type Shape = "step" | "slim" | "pill" | "group";

export const STEP: Size = { width: 184, height: 64 };
export const SLIM: Size = { width: 216, height: 28 };
export const PILL: Size = { width: 80, height: 24 };
/** A further line of text in a step. */
export const LINE = 18;

/** Between columns, without the width of branch labels. */
export const COLUMN_GAP = 32;
export const LANE_GAP = 24;
/** Offset of a wire's port from the top of its lane. */
export const PORT = 32;
export const GROUP_HEAD = 32;
export const GROUP_PADDING = 16;
/** Distance of parallel tracks. */
export const TRACK = 8;
/** Characters of a branch label; longer ones are shortened. */
export const LABEL = 24;

export function shapeOf(node: SchematicNode): Shape {
  switch (node.kind) {
    case "Guard":
    case "Layer":
    case "Iam":
      return "slim";
    case "Ingress":
    case "Egress":
      return "pill";
    default:
      return "step";
  }
}

/** True for a step with a line of properties or, for a closed subgraph, with its slowest node. */
export const hasMarks = (node: SchematicNode): boolean =>
  (node.retry ?? node.timeout_ms ?? node.offload ?? node.strategy ?? node.schematic) !== undefined;
