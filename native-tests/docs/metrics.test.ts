// docs/metrics.md, the dashboard and the alerts name metrics that there are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { BUCKETS } from "#telemetry/metrics/measure/buckets.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { pageAt } from "./page.js";

const PAGE = pageAt("docs/metrics.md").text;
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
