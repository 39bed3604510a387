// The figures of the pool where an operator reads them: the Inspector, /metrics, traces.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, RetryPolicy, workerModule, workerTransition } from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import type { PoolMetrics } from "#inspector/api/metrics.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { metricsReport } from "#telemetry/metrics/metrics-report.js";
import { mergeSnapshots } from "#telemetry/metrics/metrics-snapshot.js";
import { loaded } from "../support/config-folder.js";
import { named, requireCovered, treeOf } from "../support/span-tree.js";
import { traced } from "../support/traced-server.js";

const work = workerModule<typeof import("../support/pool-work.js")>(
  new URL("../support/pool-work.js", import.meta.url),
);
const declined = Axon.start("declined")
  .thenFn("n", () => 1)
  .offload(workerTransition({ name: "decline", module: work, export: "decline" }));
const crash = Axon.start("crash")
  .thenFn("code", () => 7)
  .offload(workerTransition({ name: "leave", module: work, export: "leave" }));

describe("the figures of the pool", () => {
  test("count jobs by step and end, and are shown by the Inspector and by /metrics", async () => {
    const ingress = Framework.http({ reporter: () => {} })
      .config(loaded("pool.threads = 1\npool.queue = 9"))
      .inspector()
      .get("/declined", declined)
      .get("/crash", crash);
    const app = new TestApp(ingress);
    await app.start();
    const { app: inspector, token } = inspectorOf(ingress);
    const read = (path: string) => inspector.get(path, { headers: { authorization: `Bearer ${token}` } });

    for (const path of ["/declined", "/declined", "/crash"]) await app.get(path);

    const { data } = (await read("/api/v1/metrics")).json as { data: { pool: PoolMetrics } };
    const { steps, ...fill } = data.pool;
    assert.deepEqual(fill, { threads: 1, running: 0, waiting: 0, queue: 9 });
    assert.deepEqual(
      steps.map(({ step, jobs, ends }) => [step, jobs, ends]),
      [
        ["decline", 2, [{ end: "done", count: 2 }]],
        ["leave", 1, [{ end: "WORKER_CRASHED", count: 1 }]],
      ],
    );
    const text = (await read("/metrics")).text;
    assert.match(text, /^framework_pool_threads 1$/m);
    assert.match(text, /^framework_pool_queue_limit 9$/m);
    assert.match(text, /^framework_pool_jobs_waiting 0$/m);
    assert.match(text, /^framework_pool_jobs_total\{step="decline",end="done"\} 2$/m);
    assert.match(text, /^framework_pool_jobs_total\{step="leave",end="WORKER_CRASHED"\} 1$/m);
    await app.close();
  });

  test("say how long jobs waited and ran, and those of several processes are one", () => {
    const fill = { threads: 2, running: 1, waiting: 3, queue: 4 };
    const ran = (step: string, waitedMs: number, ranMs: number | undefined, end = "done") => {
      const metrics = new Metrics({ pool: () => fill });
      metrics.poolObserver({ step, end, waitedMs, ranMs });
      metrics.tick();
      return metrics;
    };
    const [a, b] = [ran("scale", 1, 20), ran("scale", 3, undefined, "RUN_ABORTED")];

    assert.match(a.text(), /^framework_pool_wait_seconds_sum\{step="scale"\} 0.001$/m);
    assert.match(a.text(), /^framework_pool_run_seconds_sum\{step="scale"\} 0.02$/m);
    const none = new Metrics().snapshot();
    const merged = [none, b.snapshot()].reduce(mergeSnapshots, a.snapshot());
    const { pool } = metricsReport(merged);
    const [step] = pool?.steps ?? [];
    assert.deepEqual({ ...pool, steps: [] }, { threads: 4, running: 2, waiting: 6, queue: 8, steps: [] });
    assert.deepEqual([step?.jobs, step?.waited?.max_us, step?.ran?.max_us], [2, 3000, 20_000]);
    assert.equal(none.pool, null);
  });

  test("are a span of the thread's part in the span of the step, or of the try", async () => {
    await traced("", async ({ config, spans }) => {
      const again = Axon.start("again")
        .thenFn("code", () => 7)
        .thenWithRetry(
          workerTransition({ name: "leave", module: work, export: "leave" }),
          RetryPolicy.fixed(1, 1),
        );
      const ingress = Framework.http({ reporter: () => {} }).config(config);
      const app = new TestApp(ingress.get("/declined", declined).get("/again", again));
      await app.get("/declined");
      const first = await spans();
      requireCovered(first);

      assert.deepEqual(treeOf(first), {
        "GET /declined": { n: {}, decline: { "worker decline": {} } },
      });
      assert.equal(named(first, "worker decline").attributes["framework.node.id"], "declined/decline");
      await app.get("/again");
      const tries = (await spans()).filter(({ name }) => name === "worker leave");
      assert.deepEqual(
        tries.map(({ attributes }) => attributes["framework.fault.code"]),
        ["WORKER_CRASHED", "WORKER_CRASHED"],
      );
      await app.close();
    });
  });
});
