import type { ComponentType } from "preact";

export interface ViewProps {
  /** Path of the place: ["circuits", "place-order"]. */
  readonly path: readonly string[];
}

export type View = ComponentType<ViewProps>;
