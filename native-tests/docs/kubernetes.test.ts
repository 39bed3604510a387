// The manifests of examples/cluster/kubernetes name what the framework has: times, probes, ports, variables, metrics.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { Framework } from "framework";
import { parse, parseAllDocuments } from "yaml";
import { shutdownTimes } from "#http/serving/shutdown-times.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { loaded } from "../support/config-folder.js";
import { runCommand } from "../support/run-command.js";

/** What hooks and disposals may take after the limit of stopping: CLOSING_MS of server.ts. */
const CLOSING_SECS = 2;
/** The time-out of a health check, and of those of the stores. */
const CHECK_SECS = 2;

type Manifest = ReturnType<typeof parse>;

function manifestsIn(name: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(`examples/cluster/kubernetes/${name}.yaml`, "utf8"));
  return documents.map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], []);
    return document.toJS();
  });
}

const [deployment, service, budget, autoscaler] = manifestsIn("shop");
const [job] = manifestsIn("migrate");
const [monitor, adapter] = manifestsIn("monitoring");
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

const SECRETS: Readonly<Record<string, string>> = {
  "persistence-url": "postgres://shop:word@postgres.example.org/shop",
  "redis-url": "rediss://shop:word@redis.example.org/0",
  "operator-token": "operator-token-0001",
  "viewer-token": "viewer-token-0001",
};

/** As the kubelet sets them. */
const variablesOf = ({ env }: Manifest): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }: Manifest) => [
      name,
      value ?? (valueFrom.fieldRef ? "10.1.2.3" : SECRETS[valueFrom.secretKeyRef.key]),
    ]),
  );

const config = loaded(undefined, variablesOf(container));
const secs = (ms: number): number => ms / 1000;

describe("the manifests for Kubernetes", () => {
  test("configure a server that balancers and Prometheus reach, by variables that it knows", () => {
    const { mode, server, inspector, persistence } = config;
    assert.deepEqual([mode.production, server.host, inspector.enabled], [true, "0.0.0.0", true]);
    assert.deepEqual([inspector.host, persistence.autoMigrate], ["10.1.2.3", false]);
    assert.equal(loaded(undefined, variablesOf(job.spec.template.spec.containers[0])).mode.production, true);
    assert.deepEqual(
      [pod, job.spec.template.spec].map(({ enableServiceLinks: of }) => of),
      [false, false],
    );
  });

  test("give a pod the time that stopping takes, and little more", () => {
    const { shutdownTimeoutSecs, shutdownDelaySecs, drainIdleSecs, host } = config.server;
    const times = shutdownTimes({
      ...{ production: true, address: { kind: "tcp", host, port: 0 } },
      ...{
        shutdownTimeoutMs: shutdownTimeoutSecs * 1000,
        shutdownDelayMs: undefined,
        drainIdleMs: undefined,
      },
    });
    const needed = secs(times.limitMs) + CLOSING_SECS;
    assert.ok(pod.terminationGracePeriodSeconds > needed, `more than ${needed} s`);
    assert.ok(pod.terminationGracePeriodSeconds <= needed + 10);
    const words = readFileSync("examples/cluster/kubernetes/shop.yaml", "utf8");
    for (const text of [
      `shutdown_timeout_secs (${shutdownTimeoutSecs})`,
      `balancers leave it (${shutdownDelaySecs})`,
      `idle connections (${drainIdleSecs})`,
      `Hooks may take ${CLOSING_SECS} more`,
    ])
      assert.ok(words.includes(text), text);
    assert.deepEqual([secs(times.delayMs), secs(times.idleMs)], [shutdownDelaySecs, drainIdleSecs]);
  });

  test("ask the probes that the ingress serves, and wait for their checks", () => {
    const probes = Framework.http()
      .readinessLivenessDefault()
      .plan.routes.map(({ pattern }) => pattern.text);
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const paths = [readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
    assert.deepEqual(paths, probes);
    assert.equal(startupProbe.httpGet.path, livenessProbe.httpGet.path);
    assert.ok(readinessProbe.timeoutSeconds > CHECK_SECS);
    const untilUnready = readinessProbe.periodSeconds * readinessProbe.failureThreshold;
    assert.ok(untilUnready < config.server.shutdownDelaySecs, "unready while it still serves");
  });

  test("name the ports on which it listens", () => {
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: Manifest) => [name, containerPort]),
    );
    assert.deepEqual(ports, { http: config.server.port, inspector: config.inspector.port });
    const used = [
      ...["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.port),
      ...service.spec.ports.map(({ targetPort }: Manifest) => targetPort),
    ];
    assert.deepEqual([...new Set(used)], ["http"]);
    assert.equal(monitor.spec.podMetricsEndpoints[0].port, "inspector");
  });

  test("select the pods of the deployment", () => {
    const { labels } = deployment.spec.template.metadata;
    for (const selector of [
      ...[deployment, budget, monitor].map(({ spec }) => spec.selector.matchLabels),
      ...[service.spec.selector, pod.topologySpreadConstraints[0].labelSelector.matchLabels],
    ])
      assert.deepEqual(selector, labels);
    const { kind, name } = autoscaler.spec.scaleTargetRef;
    assert.deepEqual([kind, name], [deployment.kind, deployment.metadata.name]);
    assert.ok(autoscaler.spec.minReplicas > budget.spec.maxUnavailable);
  });

  test("scale by a metric that is shipped, and scrape it where it is served", () => {
    const [rule] = parse(adapter.data["config.yaml"]).rules;
    const [{ pods }] = autoscaler.spec.metrics;
    assert.equal(pods.metric.name, rule.name.as);
    const names = [rule.seriesQuery, rule.metricsQuery].map((query) => /(nodejs_\w+)\{/.exec(query)?.[1]);
    const gauges = new Metrics().registry.definitions.filter(({ type }) => type === "gauge");
    for (const name of names)
      assert.ok(
        gauges.some((gauge) => gauge.name === name),
        name,
      );
    const [{ path, authorization }] = monitor.spec.podMetricsEndpoints;
    // A test compares that table with the endpoints.
    assert.ok(readFileSync("docs/inspector.md", "utf8").includes(`| GET \`${path}\` | viewer |`));
    const { key } = authorization.credentials;
    assert.equal(SECRETS[key], config.inspector.viewerToken?.reveal());
  });

  test("migrate with the image that they deploy, by a command that there is", async () => {
    const [migration] = job.spec.template.spec.containers;
    assert.equal(migration.image, container.image);
    const [program, ...args] = migration.command;
    assert.match(program, /\/framework$/);
    assert.deepEqual(args, ["store", "migrate"]);
    assert.equal((await runCommand([...args, "memory:"])).status, 2);
    assert.match((await runCommand([...args, "--help"])).stdout, /framework store migrate/);
    assert.match(job.metadata.name, new RegExp(`${container.image.split(":")[1].replaceAll(".", "-")}$`));
  });
});
