import type { NewFeedEvent } from "../feed/feed.js";

/** What the feed is told of breakpoints and the runs that they hold. */
export type BreakpointEvent = Extract<
  NewFeedEvent,
  { readonly kind: "node_paused" | "node_resumed" | "breakpoint" }
>;
