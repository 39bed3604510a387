import type Assert from "node:assert/strict";
import { createRequire } from "node:module";

import type { Timeline, TimelineEvent } from "#core/timeline.js";

// Loaded by the first test that asserts: a program that runs does not pay for it.
const require = createRequire(import.meta.url);

/** An event as a test expects it: its kind, and as much of the rest as matters. */
export type ExpectedEvent = TimelineEvent extends infer Event
  ? Event extends { readonly kind: infer Kind }
    ? { readonly kind: Kind } & Partial<Omit<Event, "kind">>
    : never
  : never;

/**
 * Asserts what happened in a run, in its order. Events of kinds that are not expected
 * anywhere are left out; of the others each must be there, and no more. Of each event
 * the fields that are given count: leave out times, or set them by a `ManualClock`.
 * Throws an AssertionError that shows both.
 */
export function assertTimeline(timeline: Timeline, expected: readonly ExpectedEvent[]): void {
  const assert: typeof Assert = require("node:assert/strict");
  // What nobody expects is left out, but where nothing is expected at all.
  const kinds = new Set<string>(expected.map(({ kind }) => kind));
  const happened = timeline.events.filter(({ kind }) => expected.length === 0 || kinds.has(kind));
  // A list that lost events would agree with one that is short.
  if (timeline.dropped > 0)
    assert.fail(`The Timeline of '${timeline.axon}' has lost ${timeline.dropped} events`);
  const shown = happened.map((event, i) => {
    const { [i]: pair } = expected;
    const alike = pair?.kind === event.kind ? [pair] : expected.filter(({ kind }) => kind === event.kind);
    return only(event, new Set(["kind", ...alike.flatMap(Object.keys)]));
  });
  assert.deepEqual(shown, expected, `The Timeline of '${timeline.axon}'`);
}

/** The event with the fields that are asked for. */
const only = (event: TimelineEvent, fields: ReadonlySet<string>): unknown =>
  Object.fromEntries(Object.entries(event).filter(([name]) => fields.has(name)));
