import assert from "node:assert/strict";

import type { ReceivedSpan } from "./otlp-spans.js";

export const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  spans.find((span) => span.name === name) ??
  assert.fail(`No '${name}' among ${spans.map((span) => span.name).join(", ")}`);

/** What stands in what: the name of each span with those of its children, in the order in which they begin. */
export type Tree = { readonly [name: string]: Tree };

/** Of the spans of one trace. Those that are begun outside of it are its roots. */
export function treeOf(spans: readonly ReceivedSpan[]): Tree {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const under = (parent: string | undefined): Tree =>
    Object.fromEntries(
      spans
        .filter(({ parentSpanId }) => (ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
        .sort((a, b) => Number(a.startedAt - b.startedAt))
        .map(({ name, spanId }) => [name, under(spanId)]),
    );
  return under(undefined);
}

/** Throws where a span begins before what it stands in, or ends behind it; calls may end later. */
export function requireCovered(spans: readonly ReceivedSpan[]): void {
  // A run's clock is read by who runs it and a call's by who makes it, on a machine that may have other things to do.
  const slack = 1_000_000n;
  for (const span of spans) {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
    if (parent === undefined) continue;
    const what = `${span.name} in ${parent.name}`;
    assert.ok(parent.startedAt <= span.startedAt + slack && span.startedAt <= span.endedAt, what);
    if (span.kind !== "CLIENT") assert.ok(span.endedAt <= parent.endedAt + slack, what);
  }
}
