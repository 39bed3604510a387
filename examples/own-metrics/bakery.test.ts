import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";

import { bakery } from "./bakery.js";

describe("examples/own-metrics/bakery.ts", () => {
  test("shows its own metrics beside the framework's, and one series for all that is no kind", async () => {
    const token = "correct-horse-battery";
    const ingress = bakery(token);
    await using app = new TestApp(ingress);
    await app.start();
    for (const kind of ["rye", "rye", "hunter22", "stone"]) await app.post(`/loaves/${kind}`);
    const { app: inspector } = inspectorOf(ingress);

    const { text } = await inspector.get("/metrics", {
      headers: { host: "localhost", authorization: `Bearer ${token}` },
    });
    const lines = text.split("\n");
    assert.ok(lines.includes('bakery_loaves_sold_total{kind="rye"} 2'), text);
    assert.ok(lines.includes('bakery_loaves_sold_total{kind="other"} 2'));
    assert.ok(lines.includes("bakery_oven_wait_seconds_count 4"));
    assert.ok(lines.some((line) => line.startsWith("framework_circuit_runs_total")));
  });
});
