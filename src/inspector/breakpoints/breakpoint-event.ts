import type { NewFeedEvent } from "../feed/feed.js";

/** Feed events of breakpoints and held runs. */
export type BreakpointEvent = Extract<
  NewFeedEvent,
  { readonly kind: "node_paused" | "node_resumed" | "breakpoint" }
>;
