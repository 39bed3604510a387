// Limits a large drawing to its visible part and a margin.

import type { Extent } from "./arrange.js";

/** Smaller drawings are rendered whole: it is fast, and the keyboard reaches every node. */
const SMALL = 300;
const AROUND = 600;

/** The visible area in the drawing's coordinates; undefined: all. */
export type Viewport = Extent | undefined;

/** The viewport of a scrolling box. It changes in steps, not per pixel. */
export function viewportOf(boxes: number, scroll: Extent, margin: number): Viewport {
  if (boxes <= SMALL) return undefined;
  const step = AROUND / 2;
  const x = Math.floor((scroll.x - margin) / step) * step;
  const y = Math.floor((scroll.y - margin) / step) * step;
  return {
    x: x - AROUND,
    y: y - AROUND,
    width: Math.ceil(scroll.width / step) * step + 2 * AROUND + step,
    height: Math.ceil(scroll.height / step) * step + 2 * AROUND + step,
  };
}

export function isInViewport(extent: Extent, sight: Viewport): boolean {
  if (sight === undefined) return true;
  return (
    extent.x <= sight.x + sight.width &&
    sight.x <= extent.x + extent.width &&
    extent.y <= sight.y + sight.height &&
    sight.y <= extent.y + extent.height
  );
}
