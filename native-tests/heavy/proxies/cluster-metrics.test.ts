// examples/cluster: Prometheus reads all hosts, for the dashboard and the alert rules that are shipped.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import type { Cluster } from "../../../examples/cluster/cluster.js";
import { ask, clusterForTest, skipWithoutCluster } from "../../support/cluster.js";
import { skipWithout } from "../../support/debian-program.js";
import { until } from "../../support/patience.js";
import { fromRoot } from "../../support/root.js";

const RULES = fromRoot("docs/operations/alert-rules.yml");
const dashboard = JSON.parse(readFileSync(fromRoot("docs/operations/grafana-dashboard.json"), "utf8"));
const panels: readonly string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
  (panel.targets ?? []).map(({ expr }) => expr),
);
/** Have no series in a shop that is well. */
const MAY_BE_EMPTY = /status="(5xx|aborted)"|framework_node_faults_total|framework_guard_refusals_total/;
/** Counted hourly, or counts of what rarely happens to it: a call of Redis may be too slow on a busy machine. */
const MAY_BE_MISSING = [
  "framework_dead_letters",
  "framework_runs",
  "framework_store_failures_total",
  "framework_worker_crashes_total",
];

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

describe("Prometheus of three machines", { skip: skipWithoutCluster || skipWithout("prometheus") }, () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await clusterForTest({ rules: RULES });
  });
  after(() => cluster?.stop());

  const api = async <Data>(path: string): Promise<Data> => {
    const { json, text } = await ask<{ readonly status: string; readonly data: Data }>(
      `${cluster.prometheus?.address}`.replace("http://", ""),
      `/api/v1/${path}`,
    );
    assert.equal(json?.status, "success", text);
    return json.data;
  };
  const query = async (expr: string): Promise<readonly Series[]> =>
    (await api<{ readonly result: readonly Series[] }>(`query?query=${encodeURIComponent(expr)}`)).result;
  const ofHost = (expr: string, instance: string): string =>
    expr.replaceAll("$__rate_interval", "30s").replaceAll("$instance", instance).replaceAll("$circuit", ".*");

  test("has each host, and answers each query of the dashboard for each", async () => {
    const traffic = async (): Promise<void> => {
      for (const { address } of cluster.hosts) {
        for (const path of ["/host", "/price", "/orders/none"]) await ask(address, path);
        await ask(address, "/orders", {
          json: { sku: "tea", pieces: 901 },
          headers: { "idempotency-key": '"1"' },
        });
      }
    };
    await until("three hosts are scraped", async () => (await query("up == 1")).length === 3);
    const instances = cluster.hosts.map(({ inspector }) => inspector.replaceAll(".", "\\\\."));

    for (const instance of instances)
      for (const expr of panels.filter((panel) => !MAY_BE_EMPTY.test(panel)))
        await until(`${instance} has series of ${expr}`, async () => {
          await traffic();
          return (await query(ofHost(expr, instance))).length > 0;
        });
    for (const expr of panels) assert.ok(Array.isArray(await query(ofHost(expr, ".*"))), expr);
  });

  test("has each metric of the alert rules from each host, but for those of what rarely happens", async () => {
    const named = new Set(readFileSync(RULES, "utf8").match(/\bframework_\w+/g));
    const missing: string[] = [];
    for (const name of named)
      if ((await query(`count by (instance) (${name})`)).length !== 3) missing.push(name);

    assert.deepEqual(
      missing.filter((name) => !MAY_BE_MISSING.includes(name)),
      [],
    );
  });

  test("evaluates each alert rule, and raises none for a shop that is well", async () => {
    const names = [...readFileSync(RULES, "utf8").matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    type Rule = { readonly name: string; readonly health: string; readonly state: string };
    const rules = async (): Promise<readonly Rule[]> =>
      (
        await api<{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }>("rules")
      ).groups.flatMap(({ rules: all }) => all);
    await until("each was evaluated", async () =>
      (await rules()).every(({ health }) => health !== "unknown"),
    );

    assert.deepEqual(
      (await rules()).map(({ name, health }) => [name, health]),
      names.map((name) => [name, "ok"]),
    );
    assert.deepEqual(
      (await rules()).filter(({ state }) => state === "firing"),
      [],
    );
  });
});
