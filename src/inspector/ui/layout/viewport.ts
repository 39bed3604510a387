// What of a large drawing is drawn: what is in sight, and around it.

import type { Extent } from "./arrange.js";

/** Below that everything is drawn: it is quick, and the keyboard reaches all of it. */
const SMALL = 300;
const AROUND = 600;

/** What is seen of the drawing, in its own coordinates; undefined: all. */
export type Viewport = Extent | undefined;

/** Of a box that scrolls. It changes by steps: not with every pixel. */
export function viewportOf(boxes: number, scroll: Extent, zoom: number, margin: number): Viewport {
  if (boxes <= SMALL) return undefined;
  const step = AROUND / 2;
  const x = Math.floor((scroll.x / zoom - margin) / step) * step;
  const y = Math.floor((scroll.y / zoom - margin) / step) * step;
  return {
    x: x - AROUND,
    y: y - AROUND,
    width: Math.ceil(scroll.width / zoom / step) * step + 2 * AROUND + step,
    height: Math.ceil(scroll.height / zoom / step) * step + 2 * AROUND + step,
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
