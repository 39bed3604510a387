// Finds the sides of a box on which content is cut off, so that it does not look complete.

import { useLayoutEffect, useState } from "preact/hooks";
import "./edges.css";

export type Edge = "more-left" | "more-right" | "more-above" | "more-below";

interface Held {
  readonly current: HTMLElement | null;
}

/**
 * Classes for the surrounding `edged` element. Updated after a scroll, a resize, and a change of
 * `inside`.
 */
export function useEdges(box: Held, inside: readonly unknown[]): readonly Edge[] {
  const [edges, setEdges] = useState<readonly Edge[]>([]);
  useLayoutEffect(
    () =>
      watched(box.current, (element) => {
        const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
        const next: Edge[] = [];
        if (scrollLeft > 1) next.push("more-left");
        if (scrollLeft + clientWidth < scrollWidth - 1) next.push("more-right");
        if (scrollTop > 1) next.push("more-above");
        if (scrollTop + clientHeight < scrollHeight - 1) next.push("more-below");
        setEdges((before) => (before.join() === next.join() ? before : next));
      }),
    inside,
  );
  return edges;
}

/** Checks now, and after each scroll or resize. Returns a function that ends it. */
export function watched(
  element: HTMLElement | null,
  look: (element: HTMLElement) => void,
): (() => void) | undefined {
  if (element === null) return undefined;
  const again = (): void => look(element);
  again();
  const observer = new ResizeObserver(again);
  observer.observe(element);
  element.addEventListener("scroll", again, { passive: true });
  return () => {
    observer.disconnect();
    element.removeEventListener("scroll", again);
  };
}
