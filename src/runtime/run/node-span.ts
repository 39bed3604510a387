import type { NodeSpan } from "#core/timeline/recorder.js";

/** The span of the node that sees the Bus so; undefined if it has none. Only a traced node's view has one. */
export const spanOf = (seen: object): NodeSpan | undefined => (seen as { readonly span?: NodeSpan }).span;
