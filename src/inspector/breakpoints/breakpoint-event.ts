import type { FeedEvent } from "../api/events.js";

type Untimed<E> = E extends unknown ? Omit<E, "seq" | "at"> : never;

/** What the feed is told of breakpoints and the runs that they hold. */
export type BreakpointEvent = Untimed<
  Extract<FeedEvent, { readonly kind: "node_paused" | "node_resumed" | "breakpoint" }>
>;
