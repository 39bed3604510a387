import type { ComponentType } from "preact";

export interface ViewProps {
  /** Of the place: ["circuits", "place-order"]. */
  readonly path: readonly string[];
}

export type View = ComponentType<ViewProps>;
