import type { NodeSpan } from "#core/timeline/recorder.js";

/** The span of the node with this view of the Bus; undefined if it has none. Only a traced node has a view. */
export const spanOf = (seen: object): NodeSpan | undefined => (seen as { readonly span?: NodeSpan }).span;
