import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, test } from "node:test";

import { Value } from "@sinclair/typebox/value";
import { Axon, Framework, fault, ProblemDetail, text, transition } from "framework";
import type { WatchLevel } from "framework/core";
import { TestApp } from "framework/http";

import { Metrics as MetricsShape } from "#inspector/api/metrics.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { readPrometheus } from "../../support/prometheus-reader.js";
import { shop, watchedShop, watching } from "../../support/watched-shop.js";

const levels: readonly WatchLevel[] = [{ kind: "counted" }, { kind: "sampled", every: 3 }, { kind: "all" }];

for (const level of levels)
  describe(`metrics of runs that are ${level.kind}`, () => {
    test("count every run, node, fault and refusal exactly", async () => {
      const { buy, doors, second, shown, metrics } = watchedShop(level);
      metrics.describe(shop.schematic());
      await buy("hat", "gold", "drunk", "hat", "hat", "gold");
      doors.open = false;
      await buy("hat", "hat");
      second();

      const shopNode = (node: string) => ({ circuit: "shop", node });
      const guardOf = (node: string) => ({ circuit: "shop", guard: node });
      assert.deepEqual(
        [
          shown("framework_circuit_runs_total", { circuit: "shop" }),
          shown("framework_circuit_faults_total", { circuit: "shop" }),
          shown("framework_node_runs_total", shopNode("shop:guard/doorman")),
          shown("framework_node_runs_total", shopNode("shop/price")),
          shown("framework_node_faults_total", shopNode("shop/price")),
          shown("framework_node_runs_total", shopNode("shop/pack")),
          shown("framework_guard_refusals_total", guardOf("shop:guard/doorman")),
          shown("framework_guard_refusals_total", guardOf("shop/sober")),
          shown("framework_guard_refusals_total", guardOf("shop/price")),
        ],
        [8, 5, 8, 6, 2, 3, 2, 1, undefined],
      );
    });

    test("have latencies of the traced ones, and say of how many", async () => {
      const { buy, second, shown, metrics } = watchedShop(level);
      await buy("hat", "hat", "gold", "hat", "hat", "hat", "hat");
      second();

      const traced = { counted: 0, sampled: 2, all: 7, off: 0 }[level.kind];
      const [circuit] = metrics.report().circuits;
      assert.deepEqual(
        circuit?.windows.map(({ count, samples }) => [count, samples]),
        [1, 10, 60].map(() => [7, traced]),
      );
      assert.equal(circuit?.windows[0]?.latency === null, traced === 0);
      assert.equal(shown("framework_circuit_duration_seconds_count", { circuit: "shop" }), traced);
      const pack = circuit?.nodes.find(({ node }) => node === "shop/pack")?.windows[0];
      assert.equal(pack?.count, 6);
      assert.equal(pack?.samples, level.kind === "all" ? 6 : level.kind === "sampled" ? 1 : 0);
    });

    test("answer the Inspector's API in its shape", async () => {
      const { buy, app, second, metrics } = watchedShop(level);
      const valid = () => [...Value.Errors(MetricsShape.properties.data, metrics.report())];

      assert.deepEqual(valid(), []);
      await buy("hat", "gold");
      await app.get("/nowhere");
      second();
      assert.deepEqual(valid(), []);
    });
  });
describe("metrics", () => {
  test("have windows of the last second, ten and sixty", async () => {
    const { buy, second, metrics } = watchedShop({ kind: "all" });
    await buy("hat", "hat", "gold");
    second();
    await buy("hat");
    second();
    second();

    const windows = () =>
      metrics
        .report()
        .circuits[0]?.windows.map(({ seconds, count, faults, per_second, error_share }) => [
          seconds,
          count,
          faults,
          per_second,
          error_share,
        ]);
    assert.deepEqual(windows(), [
      [1, 0, 0, 0, 0],
      [10, 4, 1, 4 / 3, 0],
      [60, 4, 1, 4 / 3, 0],
    ]);
    for (let more = 0; more < 8; more += 1) second();
    assert.deepEqual(windows()?.[1], [10, 1, 0, 0.1, 0]);
    for (let more = 0; more < 50; more += 1) second();
    assert.deepEqual(windows()?.[2], [60, 1, 0, 1 / 60, 0]);
    assert.equal(metrics.report().circuits[0]?.total, 4);
  });

  test("have a history of the last sixty seconds, the oldest first", async () => {
    const { buy, second, metrics } = watchedShop({ kind: "all" });
    await buy("hat");
    second();
    second();
    await buy("gold", "hat");
    second();

    const history = metrics.report().circuits[0]?.history ?? [];
    assert.equal(history.length, 60);
    assert.deepEqual(
      history.slice(-4).map(({ at, count, faults, p99_us }) => [at, count, faults, p99_us === null]),
      [
        [1_700_000_000_000, 0, 0, true],
        [1_700_000_001_000, 1, 0, false],
        [1_700_000_002_000, 0, 0, true],
        [1_700_000_003_000, 2, 1, false],
      ],
    );
  });
  test("have the latencies of all traced runs that ended before a tick, however many they were", async () => {
    for (const runs of [1, 63, 64, 65, 200]) {
      const { buy, second, metrics } = watchedShop({ kind: "all" });
      await buy(...Array.from({ length: runs }, () => "hat" as const));
      second();
      const [circuit] = metrics.report().circuits;
      const pack = circuit?.nodes.find(({ node }) => node === "shop/pack");
      const samples = [circuit, pack].map((of) => of?.windows[0]?.samples);
      assert.deepEqual([...samples, metrics.report().http.windows[0]?.samples], [runs, runs, runs]);
    }
  });

  test("know how many traced runs have begun and not ended", async () => {
    const metrics = new Metrics();
    const recorder = watching(metrics, { kind: "all" });
    const gates: (() => void)[] = [];
    const entered = new EventEmitter();
    const waiting = Axon.start("waiting")
      .thenFn("first", () => 1)
      .thenFn("wait", () => {
        const waits = new Promise<string>((resolve) => gates.push(() => resolve("done")));
        entered.emit("wait");
        return waits;
      });
    const app = new TestApp(Framework.http({ recorder }).get("/", waiting));
    const inFlight = () => metrics.report().circuits[0]?.in_flight;
    const runs: Promise<unknown>[] = [];
    for (let count = 0; count < 3; count += 1) {
      const waits = once(entered, "wait");
      runs.push(app.get("/"));
      await waits;
    }

    assert.equal(inFlight(), 3);
    for (const open of gates) open();
    await Promise.all(runs);
    assert.equal(inFlight(), 0);
  });

  test("tell runs that were aborted from those that faulted, whatever became of their nodes", async () => {
    const metrics = new Metrics();
    const recorder = watching(metrics, { kind: "all" });
    const entered = new EventEmitter();
    const conflict = new ProblemDetail({ status: 409, code: "CONFLICT", title: "Conflict" });
    const both = Axon.start("both").parallel(
      [
        transition({ name: "waits", run: () => new Promise<string>(() => {}) }),
        transition({ name: "ends", run: () => fault(conflict) }),
      ],
      "AllMustSucceed",
      ([one]) => one,
    );
    const waiting = Axon.start("waiting").thenFn("wait", () => {
      entered.emit("wait");
      return new Promise<string>(() => {});
    });
    await using app = new TestApp(Framework.http({ recorder }).get("/both", both).get("/waiting", waiting));
    await app.get("/both");
    const client = new AbortController();
    const waits = once(entered, "wait");
    const asked = app.get("/waiting", { signal: client.signal });
    await waits;
    client.abort();
    await assert.rejects(asked);
    metrics.tick();

    const { series = [] } =
      readPrometheus(metrics.text()).find(({ name }) => name === "framework_circuit_traced_runs_total") ?? {};
    assert.deepEqual(
      series.filter(({ value }) => value > 0).map(({ labels }) => [labels["circuit"], labels["outcome"]]),
      [
        ["both", "fault"],
        ["waiting", "aborted"],
      ],
    );
  });

  test("of an Axon on several routes are one", async () => {
    const metrics = new Metrics();
    const recorder = watching(metrics, { kind: "all" });
    const app = new TestApp(
      Framework.http({ recorder }).post("/a", shop, { input: text() }).post("/b", shop, { input: text() }),
    );
    await app.post("/a", { body: "hat" });
    await app.post("/b", { body: "hat" });
    metrics.tick();

    const { circuits } = metrics.report();
    assert.deepEqual(
      circuits.map(({ circuit, total, nodes }) => [
        circuit,
        total,
        nodes.map((node) => [node.node, node.total]),
      ]),
      [
        [
          "shop",
          2,
          [
            ["shop/price", 2],
            ["shop/sober", 2],
            ["shop/pack", 2],
          ],
        ],
      ],
    );
    readPrometheus(metrics.text());
  });
  test("show unfinished kept runs by Axon, version and state", () => {
    const of = { axon: "orders", version: "1.0.0", abandoned: 0 };
    const metrics = new Metrics({
      draining: () => [2, 3].map((count) => ({ axon: "orders", version: "0.9.0", way: "migrates", count })),
      runs: () => [
        { ...of, state: "running", count: 3 },
        { ...of, state: "unfit", count: 2 },
      ],
    });

    const lines = metrics
      .text()
      .split("\n")
      .filter((line) => line.startsWith("framework_runs{") || line.startsWith("framework_runs_draining{"));
    assert.deepEqual(lines, [
      'framework_runs{axon="orders",version="1.0.0",state="running"} 3',
      'framework_runs{axon="orders",version="1.0.0",state="unfit"} 2',
      'framework_runs_draining{axon="orders",version="0.9.0",way="migrates"} 5',
    ]);
  });

  test("count failed calls to shared stores by what they were for", () => {
    const storeFailures = () =>
      new Map([
        ["rates", 3],
        ["sessions", 1],
      ]);
    const lines = new Metrics({ storeFailures }).text().split("\n");

    assert.deepEqual(
      lines.filter((line) => line.startsWith("framework_store_failures_total")),
      ['framework_store_failures_total{use="rates"} 3', 'framework_store_failures_total{use="sessions"} 1'],
    );
  });

  test("refuse options that they do not have", () => {
    assert.throws(() => new Metrics({ maxSeries: 0 }), { code: "CONFIG_INVALID" });
    assert.throws(() => new Metrics({ maxSerie: 1 } as object), {
      code: "CONFIG_INVALID",
      message: /maxSerie/,
    });
  });

  test("tick by themselves once they are started, and keep no process", async () => {
    const metrics = new Metrics();
    metrics.start();
    metrics.start();
    // Ticks come by a timer, so this cannot be told by an event.
    while (
      metrics.report().process.loop_utilisation === 0 ||
      metrics.snapshot().http.windows[0]?.spanMs === 0
    )
      await new Promise((resolve) => setTimeout(resolve, 20));
    metrics.stop();
    metrics.stop();
  });
});
