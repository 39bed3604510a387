// The metrics, the alert rules and the dashboard, as Prometheus' own tool takes them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";

import { findProgram, skipWithout } from "../../support/debian-program.js";
import { shop, watchedShop } from "../../support/watched-shop.js";

const PROMTOOL = findProgram("promtool") ?? "";
const RULES = "docs/operations/alert-rules.yml";
const rules = readFileSync(RULES, "utf8");
const dashboard = JSON.parse(readFileSync("docs/operations/grafana-dashboard.json", "utf8"));
const expressions: readonly string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
  (panel.targets ?? []).map(({ expr }) => expr),
);
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);

describe("promtool", { skip: skipWithout("promtool") }, () => {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  after(() => rmSync(folder, { recursive: true }));
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: "utf8" });
    return { status, said: stdout + stderr };
  };

  test("refuses what is wrong, so that its consent means something", () => {
    const { status } = spawnSync(PROMTOOL, ["check", "metrics"], { input: "a_total{b=1} 2\n" });

    assert.notEqual(status, 0);
  });

  test("takes the metrics of a service", async () => {
    const { app, buy, second, metrics } = watchedShop({ kind: "all" });
    metrics.describe(shop.schematic());
    await buy("hat", "gold", "drunk");
    await app.get("/nowhere");
    second();

    const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], {
      input: metrics.text(),
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout, stderr], [0, "", ""]);
  });

  test("takes the alert rules", () => {
    const { status, said } = promtool("check", "rules", RULES);

    assert.equal(status, 0, said);
  });

  test("takes each expression of the dashboard", () => {
    const file = join(folder, "dashboard.yml");
    const records = expressions.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: records }] }));

    const { status, said } = promtool("check", "rules", file);
    assert.equal(status, 0, said);
  });

  test("sees each alert raised by what it is for, and none by a service that is well", () => {
    const file = join(folder, "tests.yml");
    const well = {
      'framework_http_requests_total{instance="a", method="GET", route="/", status="2xx"}': "0+100x30",
      'framework_http_requests_total{instance="a", method="GET", route="/", status="5xx"}': "0+1x30",
      'framework_http_request_duration_seconds_bucket{instance="a", method="GET", route="/", le="0.5"}':
        "0+101x30",
      'framework_http_request_duration_seconds_bucket{instance="a", method="GET", route="/", le="2.5"}':
        "0+101x30",
      'framework_http_request_duration_seconds_bucket{instance="a", method="GET", route="/", le="+Inf"}':
        "0+101x30",
      'framework_circuit_runs_total{instance="a", circuit="c"}': "0+100x30",
      'framework_node_runs_total{instance="a", circuit="c", node="c/n"}': "0+100x30",
      'framework_node_runs_total{instance="a", circuit="c", node="c:guard/g"}': "0+100x30",
      'framework_node_faults_total{instance="a", circuit="c", node="c/n"}': "0+1x30",
      'framework_node_faults_total{instance="a", circuit="c", node="c:guard/g"}': "0+40x30",
      'framework_circuit_duration_seconds_bucket{instance="a", circuit="c", le="0.5"}': "0+100x30",
      'framework_circuit_duration_seconds_bucket{instance="a", circuit="c", le="2.5"}': "0+100x30",
      'framework_circuit_duration_seconds_bucket{instance="a", circuit="c", le="+Inf"}': "0+100x30",
      'framework_node_duration_seconds_bucket{instance="a", circuit="c", node="c/n", le="0.5"}': "0+100x30",
      'framework_node_duration_seconds_bucket{instance="a", circuit="c", node="c/n", le="2.5"}': "0+100x30",
      'framework_node_duration_seconds_bucket{instance="a", circuit="c", node="c/n", le="+Inf"}': "0+100x30",
      'framework_guard_refusals_total{instance="a", circuit="c", guard="c:guard/g"}': "0+40x30",
      'nodejs_eventloop_lag_p99_seconds{instance="a"}': "0.01x30",
      'nodejs_heap_size_used_bytes{instance="a"}': "50x30",
      'nodejs_heap_size_limit_bytes{instance="a"}': "100x30",
      'process_open_fds{instance="a"}': "50x30",
      'process_max_fds{instance="a"}': "100x30",
      'process_start_time_seconds{instance="a"}': "1000x30",
      'framework_worker_crashes_total{instance="a", worker="1"}': "0x30",
      'framework_store_failures_total{instance="a", use="rates"}': "0x30",
      'framework_dead_letters{instance="a"}': "7x30",
      'framework_runs{instance="a", axon="trip", version="1.0.0", state="unfit"}': "0x200",
      'framework_runs{instance="a", axon="trip", version="1.0.0", state="sleeping"}': "5x200",
      'framework_metrics_dropped_series{instance="a"}': "0x30",
      'framework_metrics_failures_total{instance="a"}': "0x30",
    };
    type Series = keyof typeof well;
    const ill: Readonly<Record<string, Readonly<Partial<Record<Series, string>>>>> = {
      FrameworkErrors: {
        'framework_http_requests_total{instance="a", method="GET", route="/", status="5xx"}': "0+10x30",
      },
      FrameworkSlowRoute: {
        'framework_http_request_duration_seconds_bucket{instance="a", method="GET", route="/", le="0.5"}':
          "0+1x30",
      },
      FrameworkSlowCircuit: {
        'framework_circuit_duration_seconds_bucket{instance="a", circuit="c", le="0.5"}': "0+1x30",
      },
      FrameworkSlowNode: {
        'framework_node_duration_seconds_bucket{instance="a", circuit="c", node="c/n", le="0.5"}': "0+1x30",
      },
      FrameworkNodeFaults: {
        'framework_node_faults_total{instance="a", circuit="c", node="c/n"}': "0+30x30",
      },
      FrameworkRefusals: {
        'framework_guard_refusals_total{instance="a", circuit="c", guard="c:guard/g"}': "0+60x30",
      },
      FrameworkLoopHeld: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': "0.2x30" },
      FrameworkHeapNearLimit: { 'nodejs_heap_size_used_bytes{instance="a"}': "95x30" },
      FrameworkDescriptorsNearLimit: { 'process_open_fds{instance="a"}': "90x30" },
      FrameworkRestarts: { 'process_start_time_seconds{instance="a"}': "1000+1x30" },
      FrameworkWorkersCrash: { 'framework_worker_crashes_total{instance="a", worker="1"}': "0+1x30" },
      FrameworkStoreFails: { 'framework_store_failures_total{instance="a", use="rates"}': "0+10x30" },
      FrameworkDeadLetters: { 'framework_dead_letters{instance="a"}': "7+1x30" },
      FrameworkRunsLeft: {
        'framework_runs{instance="a", axon="trip", version="1.0.0", state="unfit"}': "3x200",
      },
      FrameworkMetricsIncomplete: { 'framework_metrics_dropped_series{instance="a"}': "5x30" },
    };
    const seriesOf = (changed: object) =>
      Object.entries({ ...well, ...changed }).map(([series, values]) => ({ series, values }));
    const labels = rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g);
    const severities = new Map([...labels].map(([, name = "", severity]) => [name, severity] as const));
    // It waits for the releases of a deployment.
    const raisedIn = (changed: object, name: string, at = name === "FrameworkRunsLeft" ? "150m" : "25m") => ({
      interval: "1m",
      input_series: seriesOf(changed),
      promql_expr_test: [
        {
          expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
          eval_time: at,
          exp_samples:
            name === ""
              ? []
              : [{ labels: `{alertname="${name}", severity="${severities.get(name)}"}`, value: 1 }],
        },
      ],
    });
    assert.deepEqual(Object.keys(ill), alerts);
    const tests = [
      raisedIn({}, ""),
      raisedIn({}, "", "150m"),
      ...Object.entries(ill).map(([name, changed]) => raisedIn(changed, name)),
    ];
    writeFileSync(file, JSON.stringify({ rule_files: [resolve(RULES)], evaluation_interval: "1m", tests }));

    const { status, said } = promtool("test", "rules", file);
    assert.equal(status, 0, said);
  });
});
