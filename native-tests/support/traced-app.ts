import assert from "node:assert/strict";

import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

import { Framework, isFault } from "framework";
import { type HttpIngress, TestApp } from "framework/http";
import { Trace, type TraceRow } from "#inspector/api/traces.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { type CaptureMode, PayloadCapture } from "#inspector/traces/payload-capture.js";
import { type CollectorOptions, TraceCollector } from "#inspector/traces/trace-collector.js";
import { TraceStore, type TraceStoreOptions } from "#inspector/traces/trace-store.js";

/** Throws where an answer is not what the API says of it. */
export function requireShape(schema: TSchema, value: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(value));
  const [error] = Value.Errors(schema, sent);
  assert.equal(error, undefined, JSON.stringify(error));
}

/** An ingress whose runs are all traced into a store. */
export function tracedApp(
  routes: (ingress: HttpIngress<never, never>) => HttpIngress<any, never>,
  mode: CaptureMode = "off",
  options: Partial<TraceStoreOptions> = {},
  more: Pick<CollectorOptions, "isSought" | "continued"> = {},
) {
  const nodes = new DrawnNodes(() => ingress.routes());
  const store = new TraceStore({ nodes, ...options });
  const capture = new PayloadCapture(mode, Buffer.alloc(32, 7));
  const collector = new TraceCollector({ store, nodes, capture, ...more });
  const ingress: HttpIngress<any, never> = routes(
    Framework.http({
      recorder: { ...collector.recorder, mounted: (circuit) => circuit.watch({ kind: "all" }) },
      reporter: () => {},
    }).requestIdLayer() as HttpIngress<never, never>,
  );
  const app = new TestApp(ingress);
  const rows = (): readonly TraceRow[] => {
    const page = store.query({});
    assert.ok(!isFault(page));
    return page.traces;
  };
  /** The newest trace, as the API gives it. */
  const newest = (): Trace => {
    const trace = store.get(rows()[0]?.run_id ?? "");
    requireShape(Trace, trace);
    return trace as Trace;
  };
  return { app, collector, store, nodes, rows, newest, ingress };
}
