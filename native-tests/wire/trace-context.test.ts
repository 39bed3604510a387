// The trace headers of the W3C's test suite, as bytes: what the engine makes of space,
// case and repeated fields is part of the answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TraceContext } from "framework";

import { served } from "../support/served.js";
import { get, talk } from "../support/wire.js";
import { ingress } from "../support/wire-ingress.js";

const TRACE = "12345678901234567890123456789012";
const SPAN = "1234567890123456";
const PARENT = `00-${TRACE}-${SPAN}-01`;

describe("trace headers on the wire", () => {
  const server = served(ingress);

  async function traced(...lines: readonly string[]): Promise<TraceContext> {
    const { replies } = await talk(server.address, get("/trace", ...lines), {
      halfClose: true,
      waitMs: 30_000,
    });
    return JSON.parse(replies[0]?.body ?? "") as TraceContext;
  }

  test("are read in any case, with space and tabs around them", async () => {
    for (const line of [
      `traceparent:${PARENT}`,
      `TrAcEpArEnT: ${PARENT}`,
      `traceparent: \t ${PARENT} \t`,
      `TRACEPARENT: cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`,
    ]) {
      const { traceId, parentSpanId, traceState } = await traced(line, "TraceState:\t foo=1 \t,bar=2 ");

      assert.deepEqual([traceId, parentSpanId, traceState], [TRACE, SPAN, "foo=1,bar=2"], line);
    }
  });

  test("begin a trace where they are missing, malformed or said twice", async () => {
    for (const lines of [
      [],
      [`trace-parent: ${PARENT}`],
      [`traceparent: ${PARENT}.`],
      [`traceparent: ${PARENT}`, `traceparent: ${PARENT}`],
      [`traceparent: ${PARENT}`, `Traceparent: ${PARENT.replace("1", "2")}`],
      [`traceparent: ${PARENT}`, "traceparent:"],
      ["traceparent:", `traceparent: ${PARENT}`],
      ["traceparent: \xff", `traceparent: ${PARENT}`],
      [`traceparent: ${PARENT}, ${PARENT}`],
    ]) {
      const { traceId, parentSpanId, traceState } = await traced(...lines, "tracestate: foo=1");

      assert.notEqual(traceId, TRACE);
      assert.deepEqual([parentSpanId, traceState], [undefined, ""], lines.join("; "));
    }
  });

  test("have one state, in however many fields it comes", async () => {
    const stateOf = async (...lines: readonly string[]) =>
      (await traced(`traceparent: ${PARENT}`, ...lines)).traceState;

    assert.equal(
      await stateOf("tracestate: foo=1,bar=2", "tracestate:", "tracestate: baz=3"),
      "foo=1,bar=2,baz=3",
    );
    assert.equal(await stateOf("tracestate: foo=1", "tracestate: foo=2"), "");
    assert.equal(await stateOf(`tracestate: ${"a".repeat(8000)}`), "");
    assert.equal(await stateOf(`tracestate: a=${" ".repeat(8000)}b`), "");
  });
});
