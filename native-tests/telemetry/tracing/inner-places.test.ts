import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type InnerSpan, InnerSpans, type InnerStart } from "#core/timeline/inner-span.js";
import type { TracedRun } from "#core/timeline/recorder.js";
import { InnerSpanProcessor, isPlaced, RunPlaces } from "#telemetry/tracing/inner-places.js";

const run = (spans = new InnerSpans()): TracedRun => ({
  circuit: {
    ...{ name: "a", version: "1", nodes: [], watch: () => {} },
    get counts(): never {
      throw new Error("not asked for");
    },
  },
  ...{ id: 1, runId: "1", request: undefined, now_us: 0, abort: () => {} },
  timeline: { axon: "a", version: "1", started_at: 0, events: [], dropped: 0 },
  beginInner: (node: string, start: InnerStart): InnerSpan | undefined =>
    spans.begin(node, start, { now_us: 0 }),
});

describe("the places of spans", () => {
  test("end with their run, and none is added to a run that is over", () => {
    const places = new RunPlaces(run());
    places.put("one", "a/x");
    assert.ok(isPlaced("one"));
    places.close();
    places.put("two", "a/x");

    assert.deepEqual([isPlaced("one"), isPlaced("two")], [false, false]);
  });

  test("of one run are at most a thousand, the newest", () => {
    const places = new RunPlaces(run());
    for (let n = 0; n < 1500; n += 1) places.put(`of-${n}`, "a/x");
    const found = [isPlaced("of-499"), isPlaced("of-500"), isPlaced("of-1499")];
    places.close();

    assert.deepEqual(found, [false, true, true]);
    assert.equal(isPlaced("of-1499"), false);
  });

  test("leave out the spans of the framework, which a run records itself", () => {
    const spans = new InnerSpans();
    const places = new RunPlaces(run(spans));
    places.put("node", "a/x");
    const processor = new InnerSpanProcessor();
    const began = (name: string) =>
      processor.onStart({
        ...{ name, startTime: [Date.now() / 1000, 0], parentSpanContext: { spanId: "node" } },
        instrumentationScope: { name: name === "own" ? "framework" : "program" },
        spanContext: () => ({ spanId: name }),
      });
    for (const name of ["own", "other"]) began(name);
    places.close();

    assert.deepEqual(
      spans.all.map(({ name, node }) => [name, node]),
      [["other", "a/x"]],
    );
  });
});
