// Applies a FrameworkConfig to an ingress, but only keys that a layer of the configuration sets:
// defaults override nothing (a test compares the defaults). An unused key is reported.

import type { FrameworkConfig } from "#config/config.js";
import { ignoredLinks } from "#config/explain.js";
import { keys } from "#config/keys.js";
import { type Origin, shownOrigin } from "#config/origin.js";
import { FrameworkError } from "#core/errors.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { type LogSource, logOf } from "#telemetry/logging/log-source.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { type Address, parseAddress } from "../refusal/address.js";
import { configInvalid } from "../refusal/option-checks.js";
import { isWorker } from "../serving/workers/worker-mark.js";
import { tlsPlan } from "../tls/tls-options.js";

type Apply = (config: FrameworkConfig, plan: IngressPlan) => Partial<IngressPlan>;

/** Settings by the path of their key. */
export const settings: ReadonlyMap<string, Apply> = new Map<string, Apply>([
  ["server.host", addressed],
  ["server.port", addressed],
  ["server.workers", ({ server }) => ({ workers: server.workers })],
  ["server.body_limit_bytes", ({ server }) => ({ bodyLimit: server.bodyLimitBytes })],
  ["server.head_limit_bytes", ({ server }) => ({ headLimit: server.headLimitBytes })],
  ["server.body_timeout_ms", ({ server }) => ({ bodyTimeoutMs: server.bodyTimeoutMs })],
  [
    "server.shutdown_timeout_secs",
    ({ server }) => ({ shutdownTimeoutMs: server.shutdownTimeoutSecs * 1000 }),
  ],
  ["server.shutdown_delay_secs", ({ server }) => ({ shutdownDelayMs: server.shutdownDelaySecs * 1000 })],
  ["server.drain_idle_secs", ({ server }) => ({ drainIdleMs: server.drainIdleSecs * 1000 })],
  ["server.process_guards", ({ server }) => ({ processGuards: server.processGuards })],
  ["server.trusted_proxies", ({ server }) => ({ trustedProxies: server.trustedProxies })],
  ["server.forwarded_header", ({ server }) => ({ forwardedHeader: server.forwardedHeader })],
  ["server.proxy_protocol", ({ server }) => ({ proxyProtocol: server.proxyProtocol })],
  ["server.allowed_hosts", ({ server }) => ({ allowedHosts: server.allowedHosts })],
  ["server.target_limit_bytes", ({ server }) => ({ targetLimit: server.targetLimitBytes })],
  ["server.max_connections", ({ server }) => ({ maxConnections: server.maxConnections })],
  ["server.max_in_flight", ({ server }) => ({ maxInFlight: server.maxInFlight })],
  [
    "server.max_body_bytes_in_flight",
    ({ server }) => ({ maxBodyBytesInFlight: server.maxBodyBytesInFlight }),
  ],
  ["server.route_timeout_ms", ({ server }) => ({ routeTimeoutMs: server.routeTimeoutMs })],
  ["pool.threads", pooled],
  ["pool.queue", pooled],
  ["pool.idle_timeout_secs", pooled],
  ["pool.memory_limit_mb", pooled],
  ["pool.warm", pooled],
  ["tls.enabled", secured],
  ["tls.cert_path", secured],
  ["tls.key_path", secured],
  ["tls.passphrase", secured],
  ["tls.min_version", secured],
]);

/** `readsElsewhere` returns true for keys that other parts read. Throws TLS_UNSUPPORTED and CONFIG_INVALID. */
export function configured(
  plan: IngressPlan,
  config: FrameworkConfig,
  readsElsewhere: (path: string) => boolean,
): IngressPlan {
  requireConfig(config);
  const set = keys.map((key) => key.path).filter((path) => config.isSet(path));
  let made = logged(plan, config);
  for (const path of set) made = { ...made, ...settings.get(path)?.(config, made) };
  made = { ...made, tracing: initTelemetry(config) };
  // The supervisor of workers has reported it.
  if (config.serviceLinks.length > 0 && !isWorker())
    made.reporter({ code: "SERVICE_LINKS_IGNORED", message: `Ignored ${ignoredLinks(config)}` });
  const unread = set.filter((path) => !settings.has(path) && !readsElsewhere(path));
  if (unread.length > 0) made.reporter({ code: "CONFIG_UNREAD", message: unreadOf(config, unread) });
  return made;
}

function logged(plan: IngressPlan, config: FrameworkConfig): IngressPlan {
  return withLog(plan, logOf(config));
}

/** The plan with another log, which gets reports too, unless the plan has a reporter. */
export function withLog(plan: IngressPlan, log: LogSource): IngressPlan {
  const reporter = plan.reporter === plan.log.reporter ? log.reporter : plan.reporter;
  return { ...plan, log, reporter };
}

function addressed(config: FrameworkConfig, plan: IngressPlan): { address: Address } {
  const { host, port } = config.server;
  if (host.startsWith("unix:")) return { address: parseAddress(host) };
  const before = plan.address.kind === "tcp" ? plan.address : config.server;
  return {
    address: {
      kind: "tcp",
      host: config.isSet("server.host") ? host : before.host,
      port: config.isSet("server.port") ? port : before.port,
    },
  };
}

/** The TLS settings. Without tls.enabled the program's TLS stays. */
function secured(config: FrameworkConfig, plan: IngressPlan): Partial<IngressPlan> {
  const { enabled, certPath, keyPath, passphrase, minVersion } = config.tls;
  if (minVersion === "1.3")
    throw new FrameworkError(
      "TLS_UNSUPPORTED",
      `${placed(config, "tls.min_version")} is "1.3", and the native server cannot refuse 1.2: put a proxy such as nginx or HAProxy in front, which ends TLS, and remove the key`,
    );
  if (!config.isSet("tls.enabled")) return { tls: plan.tls };
  if (!enabled) return { tls: undefined };
  return { tls: tlsPlan(certPath, keyPath, passphrase && { passphrase: passphrase.reveal() }) };
}

/** The pool settings. If no layer sets the threads, the number of workers decides, which the program may set. */
function pooled(config: FrameworkConfig): Partial<IngressPlan> {
  const { threads, queue, idleTimeoutSecs, memoryLimitMb, warm } = config.pool;
  return {
    pool: {
      threads: config.isSet("pool.threads") ? threads : "auto",
      idleTimeoutMs: idleTimeoutSecs * 1000,
      ...{ queue, memoryLimitMb, warm },
    },
  };
}

/** The path of a key with the layer that sets it. */
const placed = (config: FrameworkConfig, path: string): string =>
  `${path} (${shownOrigin(config.originOf(path) as Origin)})`;

const unreadOf = (config: FrameworkConfig, paths: readonly string[]): string =>
  `No part of this release reads ${paths.map((path) => placed(config, path)).join(", ")}: the server runs as if it were not set`;

function requireConfig(config: FrameworkConfig): void {
  if (typeof (config as Partial<FrameworkConfig> | undefined)?.isSet === "function") return;
  throw configInvalid("config() takes what FrameworkConfig.load() answers");
}
