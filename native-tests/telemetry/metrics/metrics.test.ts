import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { Value } from "@sinclair/typebox/value";
import { Axon, Framework, fault, guard, ProblemDetail, pass, text } from "framework";
import type { WatchedCircuit, WatchLevel } from "framework/core";
import { TestApp } from "framework/http";

import { Metrics as MetricsShape } from "#inspector/api/metrics.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { metricsReport } from "#telemetry/metrics/metrics-report.js";
import { mergeSnapshots, type MetricsSnapshot as Snapshot } from "#telemetry/metrics/metrics-snapshot.js";
import { skipWithout } from "../../support/debian-program.js";
import { readPrometheus } from "../../support/prometheus-reader.js";

const closed = new ProblemDetail({ status: 503, code: "CLOSED", title: "Closed" });
const sober = new ProblemDetail({ status: 403, code: "SOBER", title: "Come back sober" });
const tooDear = new ProblemDetail({ status: 422, code: "TOO_DEAR", title: "Too dear" });

const shop = Axon.start<string>("shop")
  .thenFn("price", (item) => (item === "gold" ? fault(tooDear) : item))
  .then(guard({ name: "sober", run: (input) => (input === "drunk" ? fault(sober) : pass(input)) }))
  .thenFn("pack", (item) => `a ${item}`);

/** An ingress that is watched so closely, on a clock that is moved by hand. */
function watchedShop(level: WatchLevel) {
  const clock = { ms: 0 };
  const wallNow = () => 1_700_000_000_000 + clock.ms;
  const metrics = new Metrics({ now: () => clock.ms, wallNow, requestsInFlight: () => 2 });
  const doors = { open: true };
  const doorman = guard({
    name: "doorman",
    observer: metrics.observer,
    run: (input) => (doors.open ? pass(input) : fault(closed)),
  });
  const recorder = {
    ...metrics.recorder,
    mounted: (circuit: WatchedCircuit) => {
      metrics.recorder.mounted(circuit);
      circuit.watch(level);
    },
  };
  const ingress = Framework.http({ recorder }).guard(doorman).post("/shop/:aisle", shop, { input: text() });
  const app = new TestApp(ingress);
  const second = (): void => {
    clock.ms += 1000;
    metrics.tick();
  };
  const buy = async (...items: readonly string[]) => {
    for (const item of items) await app.post("/shop/1", { body: item });
  };
  /** The value of a series, whose labels are all that are given. */
  const shown = (name: string, labels: Record<string, string> = {}): number | undefined =>
    readPrometheus(metrics.text())
      .flatMap(({ series }) => series)
      .find((one) => one.name === name && isDeepStrictEqual(one.labels, labels))?.value;
  return { app, metrics, second, doors, buy, shown };
}

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
      [10, 4, 1, 4 / 3, 0.25],
      [60, 4, 1, 4 / 3, 0.25],
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

  test("of requests are by method, pattern and class of status, and bounded whatever clients send", async () => {
    const { app, buy, doors, second, shown, metrics } = watchedShop({ kind: "off" });
    await buy("hat", "gold", "hat");
    doors.open = false;
    await buy("hat");
    doors.open = true;
    for (let at = 0; at < 5; at += 1) await app.get(`/nowhere/${at}`);
    second();

    const requests = (method: string, route: string, status: string) =>
      shown("framework_http_requests_total", { method, route, status });
    assert.deepEqual(
      [
        requests("POST", "/shop/:aisle", "2xx"),
        requests("POST", "/shop/:aisle", "4xx"),
        requests("POST", "/shop/:aisle", "5xx"),
        requests("GET", "unrouted", "4xx"),
        shown("framework_http_response_bytes_total", { method: "POST", route: "/shop/:aisle" }) !== undefined,
        shown("framework_http_request_duration_seconds_count", { method: "POST", route: "/shop/:aisle" }),
        shown("framework_http_requests_in_flight"),
      ],
      [2, 1, 1, 5, true, 4, 2],
    );
    assert.deepEqual(
      metrics.report().http.windows.map(({ count, faults, samples }) => [count, faults, samples]),
      [1, 10, 60].map(() => [9, 1, 9]),
    );
  });

  test("have one series for methods that are none, for answers to clients that have gone, and for routes above the bound", () => {
    const metrics = new Metrics({ maxSeries: 2 });
    const answer = (method: string, route: string | undefined, status: number, isAborted = false) =>
      metrics.observer.answered(
        {
          method,
          route,
          status,
          isAborted,
          path: "/",
          query: undefined,
          bytes: 1,
          durationMs: 1,
          find: () => undefined,
        },
        { isEnabled: false, write: () => {} },
      );
    for (let at = 0; at < 1000; at += 1) answer(`M${at}`, undefined, 405);
    answer("GET", "/a", 200);
    answer("GET", "/a", 200, true);
    answer("GET", "/a", 0, true);
    answer("GET", "/a", 101);
    answer("GET", "/b", 302);
    answer("GET", "/c", 200);

    assert.deepEqual(metrics.report().http.by_route, [
      { method: "OTHER", route: null, status_class: "4xx", total: 1000 },
      { method: "GET", route: null, status_class: "2xx", total: 1 },
      { method: "GET", route: "/a", status_class: "1xx", total: 1 },
      { method: "GET", route: "/a", status_class: "2xx", total: 1 },
      { method: "GET", route: "/a", status_class: "aborted", total: 2 },
      { method: "GET", route: "/b", status_class: "3xx", total: 1 },
    ]);
  });

  test("of an Axon on several routes are one", async () => {
    const metrics = new Metrics();
    const recorder = {
      ...metrics.recorder,
      mounted: (circuit: WatchedCircuit) => {
        metrics.recorder.mounted(circuit);
        circuit.watch({ kind: "all" });
      },
    };
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

  test("of several processes merge, in any order", async () => {
    const shops = [1, 2, 3].map(() => watchedShop({ kind: "all" }));
    for (const [at, { buy, second, app }] of shops.entries()) {
      for (let count = 0; count <= at; count += 1) await buy("hat", "gold");
      if (at > 0) await app.get("/nowhere");
      second();
    }
    const [a, b, c] = shops.map(({ metrics }) => metrics.snapshot({ hdr: true })) as [
      Snapshot,
      Snapshot,
      Snapshot,
    ];
    // As they come from another process.
    const sent = JSON.parse(JSON.stringify(b)) as Snapshot;

    const all = mergeSnapshots(mergeSnapshots(a, sent), c);
    assert.deepEqual(mergeSnapshots(c, mergeSnapshots(b, a)), all);
    assert.deepEqual(mergeSnapshots(a, mergeSnapshots(b, c)), all);
    const report = metricsReport(all);
    assert.deepEqual([...Value.Errors(MetricsShape.properties.data, report)], []);
    assert.deepEqual(
      [
        report.processes,
        report.circuits[0]?.total,
        report.circuits[0]?.windows[0]?.samples,
        report.http.windows[0]?.count,
      ],
      [3, 12, 12, 14],
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

describe("what Prometheus gets", () => {
  test("passes its linter", { skip: skipWithout("promtool") }, async () => {
    const { app, buy, second, metrics } = watchedShop({ kind: "all" });
    metrics.describe(shop.schematic());
    await buy("hat", "gold", "drunk");
    await app.get("/nowhere");
    second();

    const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
      input: metrics.text(),
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout, stderr], [0, "", ""]);
  });

  test("has no series twice, and each family with a help", async () => {
    const { app, buy, second, metrics } = watchedShop({ kind: "sampled", every: 2 });
    await buy("hat", "gold", "drunk");
    await app.get("/nowhere");
    second();

    for (const { name, help, series } of readPrometheus(metrics.text())) {
      assert.ok(help.endsWith("."), name);
      assert.ok(series.length > 0);
    }
  });
});
