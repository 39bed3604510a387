import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, TraceContext } from "framework";
import { TestApp } from "framework/http";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { traceOf } from "#http/request/request-traces.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const PARENT = `00-${TRACE}-${SPAN}-01`;

const traced = (...headers: readonly (readonly [string, string])[]) =>
  traceOf(new MemoryRequest("/", headers), headers.length > 0);

function assertBegun(trace: TraceContext): void {
  assert.match(trace.traceId, /^[0-9a-f]{32}$/);
  assert.notEqual(trace.traceId, TRACE);
  assert.match(trace.spanId, /^[0-9a-f]{16}$/);
  assert.deepEqual(
    [trace.parentSpanId, trace.sampled, trace.random, trace.traceState],
    [undefined, false, true, ""],
  );
}

describe("TraceContext", () => {
  test("continues the caller's trace in a part of its own", () => {
    const { spanId, ...rest } = traced(
      ["TraceParent", PARENT],
      ["tracestate", "foo=1"],
      ["TRACESTATE", "bar=2"],
    );

    assert.match(spanId, /^[0-9a-f]{16}$/);
    assert.notEqual(spanId, SPAN);
    assert.deepEqual(rest, {
      traceId: TRACE,
      parentSpanId: SPAN,
      sampled: true,
      random: false,
      traceState: "foo=1,bar=2",
    });
  });

  test("begins a trace where the caller's is missing or malformed, without its state", () => {
    assertBegun(traced());
    assertBegun(traced(["tracestate", "foo=1"]));
    assertBegun(traced(["traceparent", PARENT.toUpperCase()], ["tracestate", "foo=1"]));
    assertBegun(traced(["trace-parent", PARENT]));
  });

  test("begins a trace where there are two callers, the same or not, or an empty one", () => {
    const other = PARENT.replace(TRACE, TRACE.replace("4", "5"));
    for (const [first, second] of [
      [PARENT, other],
      [PARENT, PARENT],
      [PARENT, ""],
      ["", PARENT],
    ]) {
      assertBegun(traced(["traceparent", first as string], ["traceparent", second as string]));
    }
  });

  test("goes on where only the state is malformed", () => {
    const { traceId, traceState } = traced(["traceparent", PARENT], ["tracestate", "FOO=1"]);

    assert.deepEqual([traceId, traceState], [TRACE, ""]);
  });

  test("is the same for each step of a run, and a new one for each request", async () => {
    const app = new TestApp(
      Framework.http().get(
        "/",
        Axon.start("t")
          .thenFn("first", (_, bus) => bus.get(TraceContext), { reads: [TraceContext] })
          .thenFn("second", (first, bus) => [first, bus.get(TraceContext)], { reads: [TraceContext] }),
      ),
    );
    const ask = async () => (await app.get("/", { headers: { traceparent: PARENT } })).json as TraceContext[];
    const [[one, same], [other]] = [await ask(), await ask()];

    assert.deepEqual(one, same);
    assert.equal(one?.traceId, TRACE);
    assert.equal(other?.traceId, TRACE);
    assert.notEqual(one?.spanId, other?.spanId);
  });

  test("is not looked for where no step reads it", async () => {
    const looked: string[] = [];
    const original = MemoryRequest.prototype.getHeader;
    MemoryRequest.prototype.getHeader = function (name) {
      looked.push(String(name));
      return original.call(this, name);
    };
    try {
      await new TestApp(
        Framework.http().get(
          "/",
          Axon.start("t").thenFn("t", () => "x"),
        ),
      ).get("/");
    } finally {
      MemoryRequest.prototype.getHeader = original;
    }

    assert.deepEqual(looked, []);
  });
});
