// docs/metrics.md, the dashboard and the alerts name metrics that there are.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";

import { BUCKETS } from "#telemetry/metrics/buckets.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { findProgram, skipWithout } from "../support/debian-program.js";

const PROMTOOL = findProgram("promtool") ?? "";

const PAGE = readFileSync("docs/metrics.md", "utf8");
const RULES = "docs/operations/alert-rules.yml";
const rules = readFileSync(RULES, "utf8");
const dashboard = JSON.parse(readFileSync("docs/operations/grafana-dashboard.json", "utf8"));
const { definitions } = new Metrics().registry;

/** Each series that a scrape may show, with its labels; what Prometheus adds itself included. */
const shown = new Map(
  definitions.flatMap(({ name, type, labels = [] }) => {
    const of = (suffix: string, ...more: string[]) =>
      [`${name}${suffix}`, new Set([...labels, ...more, "instance", "job"])] as const;
    return type === "histogram" ? [of("_bucket", "le"), of("_sum"), of("_count")] : [of("")];
  }),
);

const expressions: readonly string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
  (panel.targets ?? []).map(({ expr }) => expr),
);

/** What is wrong with the metrics and labels that an expression names. */
function wrongIn(expression: string): readonly string[] {
  const unknown = [...expression.matchAll(/\b(?:framework|process|nodejs)_[a-z0-9_]+/g)].filter(
    ([name]) => !shown.has(name),
  );
  const matched = [...expression.matchAll(/([a-z0-9_]+)\{([^}]*)\}/g)].flatMap(
    ([, name = "", matchers = ""]) =>
      [...matchers.matchAll(/([a-z_]+)\s*[=!]/g)].flatMap(([, label = ""]) =>
        shown.get(name)?.has(label) === false ? [`${name} has no label ${label}`] : [],
      ),
  );
  const names = [...expression.matchAll(/\b(?:framework|process|nodejs)_[a-z0-9_]+/g)].map(([name]) => name);
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels
      .split(",")
      .map((label) => label.trim())
      .filter((label) => names.some((name) => shown.get(name)?.has(label) === false))
      .map((label) => `by ${label}`),
  );
  return [...unknown.map(([name]) => `no metric ${name}`), ...matched, ...grouped];
}

const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
const alertExpressions = [...rules.matchAll(/expr: (?:\|\n((?:\s{10,}.*\n)+)|(.*)\n)/g)].map(
  ([, block, line]) => (block ?? line ?? "").trim(),
);

describe("docs/metrics.md", () => {
  test("has the table of all metrics, as they describe themselves", () => {
    const [, table = ""] = /\| metric \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(PAGE) ?? [];

    assert.equal(
      table,
      definitions
        .map(({ name, type, labels = [], help }) => {
          const named = labels.map((label) => `\`${label}\``).join(", ");
          return `| \`${name}\` | ${type} | ${named} | ${help} |\n`;
        })
        .join(""),
    );
  });

  test("names the bounds of the buckets", () => {
    const [, list = ""] = /have the buckets (.*?)\. /.exec(PAGE) ?? [];
    const units: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1 };
    const bounds = list.split(/, | and /).map((text) => {
      const [figure, unit = ""] = text.split(" ");
      return Number((Number(figure) * (units[unit] as number)).toPrecision(6));
    });

    assert.deepEqual(bounds, [...BUCKETS]);
  });

  test("has the table of all alerts", () => {
    const [, table = ""] = /\| alert \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(PAGE) ?? [];

    assert.deepEqual(
      [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name),
      alerts,
    );
  });

  test("links to files that are there", () => {
    for (const [, file = ""] of PAGE.matchAll(/\]\((?!https?:)([^)#]+)/g))
      assert.ok(existsSync(join("docs", file)), file);
  });
});

describe("the dashboard and the alerts", () => {
  test("name no metric that there is not, and no label that it has not", () => {
    assert.ok(expressions.length > 20 && alertExpressions.length === alerts.length);
    assert.deepEqual([...expressions, ...alertExpressions].flatMap(wrongIn), []);
    assert.deepEqual(wrongIn('sum by (nod) (rate(framework_node_rnus_total{circuits="a"}[5m]))'), [
      "no metric framework_node_rnus_total",
    ]);
    assert.deepEqual(wrongIn('sum by (nod) (rate(framework_node_runs_total{circuits="a"}[5m]))'), [
      "framework_node_runs_total has no label circuits",
      "by nod",
    ]);
  });

  test("have panels that lie beside one another, each with an id of its own", () => {
    const { panels } = dashboard;
    const cells = new Set<string>();
    for (const { gridPos } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(x < 24 && !cells.has(`${x} ${y}`));
          cells.add(`${x} ${y}`);
        }
    assert.equal(new Set(panels.map(({ id }: { id: number }) => id)).size, panels.length);
  });
});

describe("promtool", { skip: skipWithout("promtool") }, () => {
  const folder = mkdtempSync(join(tmpdir(), "alerts-"));
  after(() => rmSync(folder, { recursive: true }));
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: "utf8" });
    return { status, said: stdout + stderr };
  };

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
      'framework_guard_refusals_total{instance="a", circuit="c", guard="c:guard/g"}': "0+40x30",
      'nodejs_eventloop_lag_p99_seconds{instance="a"}': "0.01x30",
      'nodejs_heap_size_used_bytes{instance="a"}': "50x30",
      'nodejs_heap_size_limit_bytes{instance="a"}': "100x30",
      'process_open_fds{instance="a"}': "50x30",
      'process_max_fds{instance="a"}': "100x30",
      'process_start_time_seconds{instance="a"}': "1000x30",
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
      FrameworkMetricsIncomplete: { 'framework_metrics_dropped_series{instance="a"}': "5x30" },
    };
    const seriesOf = (changed: object) =>
      Object.entries({ ...well, ...changed }).map(([series, values]) => ({ series, values }));
    const labels = rules.matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)/g);
    const severities = new Map([...labels].map(([, name = "", severity]) => [name, severity] as const));
    const raisedIn = (changed: object, name: string) => ({
      interval: "1m",
      input_series: seriesOf(changed),
      promql_expr_test: [
        {
          expr: 'count by (alertname, severity) (ALERTS{alertstate="firing"})',
          eval_time: "25m",
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
      ...Object.entries(ill).map(([name, changed]) => raisedIn(changed, name)),
    ];
    writeFileSync(file, JSON.stringify({ rule_files: [resolve(RULES)], evaluation_interval: "1m", tests }));

    const { status, said } = promtool("test", "rules", file);
    assert.equal(status, 0, said);
  });
});
