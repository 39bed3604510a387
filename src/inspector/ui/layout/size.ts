// Sizes of the drawing in CSS pixels, on a grid of 8.

import type { SchematicNode } from "#core/flow/schematic.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Shape of a node: "slim" is a row of a stack at the entrance, "end" a pill. */
export type Shape = "step" | "slim" | "end" | "group";

export const STEP: Size = { width: 184, height: 64 };
export const SLIM: Size = { width: 208, height: 28 };
export const END: Size = { width: 48, height: 24 };

/** Between columns, without the width of branch labels. */
export const COLUMN_GAP = 40;
export const LANE_GAP = 24;
/** Offset of a wire's port from the top of its lane. */
export const PORT = 32;
export const GROUP_HEAD = 32;
export const GROUP_PADDING = 16;
/** Distance of parallel tracks. */
export const TRACK = 8;

export function shapeOf(node: SchematicNode): Shape {
  switch (node.kind) {
    case "Guard":
    case "Layer":
    case "Iam":
      return "slim";
    case "Ingress":
    case "Egress":
      return "end";
    default:
      return "step";
  }
}
