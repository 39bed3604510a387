import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Value } from "@sinclair/typebox/value";

import { Metrics as MetricsShape } from "#inspector/api/metrics.js";
import { mergeFamilies } from "#telemetry/metrics/measure/family.js";
import { metricsReport } from "#telemetry/metrics/metrics-report.js";
import { mergeSnapshots, type MetricsSnapshot as Snapshot } from "#telemetry/metrics/metrics-snapshot.js";
import { prometheusText } from "#telemetry/metrics/prometheus-text.js";
import { readPrometheus } from "../../support/prometheus-reader.js";
import { watchedShop } from "../../support/watched-shop.js";

describe("metrics", () => {
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

  test("of several processes are one text, as they were sent", async () => {
    const [a, b] = [watchedShop({ kind: "all" }), watchedShop({ kind: "all" })];
    await a.buy("hat", "gold");
    await b.buy("hat");
    a.second();
    b.second();
    const sent = JSON.parse(JSON.stringify(b.metrics.families()));

    const series = readPrometheus(prometheusText(mergeFamilies(a.metrics.families(), sent))).flatMap(
      (family) => family.series,
    );
    const sumOf = (name: string) =>
      series.filter((one) => one.name === name).reduce((sum, { value }) => sum + value, 0);
    assert.deepEqual(
      [
        sumOf("framework_http_requests_total"),
        sumOf("framework_circuit_runs_total"),
        sumOf("framework_circuit_duration_seconds_count"),
        sumOf("framework_http_requests_in_flight"),
        sumOf("nodejs_version_info"),
      ],
      [3, 3, 3, 4, 1],
    );
  });
});

describe("what Prometheus gets", () => {
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
