// What a program and its configuration say of the Inspector.

import type { AuditPublicKey } from "#audit/chain/signing-key.js";
import type { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import { isLoopback } from "#core/net/loopback.js";
import type { AuditAnchor, AuditSink } from "#core/ports/audit-sink.js";
import { type AuditFailureMode, requireAuditFailureMode, requireAuditSink } from "#core/ports/audit-use.js";
import { requireOneOf } from "#http/plan/limit-options.js";
import { namesOf, requireKnown, requireLists } from "#http/refusal/known-options.js";
import { requireInteger } from "#http/refusal/required-integer.js";
import { type Counter, isOwnMetric } from "#telemetry/metrics/own-metrics.js";
import type { AlertHook } from "./alerts/alert-hook.js";
import type { AlertRule } from "./alerts/error-rates.js";
import { BearerAuth } from "./door/bearer-auth.js";

export interface InspectorAuditOptions {
  /** Default: that of the ingress (`audit()`, `stores()`). */
  readonly sink?: AuditSink;
  /**
   * "refuse" records each action before it is done, too, and answers 503 where that fails. "log",
   * the default, does it, and logs it at info.
   */
  readonly onFailure?: AuditFailureMode;
  /** Public keys of checkpoints that are trusted. Default: those that the sink signs with; without any the log is shown as unsigned. */
  readonly keys?: readonly AuditPublicKey[];
  /** Where the newest checkpoint is compared with. */
  readonly anchor?: AuditAnchor;
}

export interface InspectorOptions {
  /** Whether it is served. Default: outside production. */
  readonly enabled?: boolean;
  /**
   * Who may use it. Default outside production: who has the link that is printed when the
   * server begins. In production there is no default.
   */
  readonly auth?: BearerAuth;
  /** Where it listens. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3001; 0 takes a free one. */
  readonly port?: number;
  /** What it is called beside localhost, 127.0.0.1, [::1] and its `host`; anything else is answered 421. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may ask beside its own. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** What is kept of inputs and outputs, redacted. Default off. */
  readonly capturePayloads?: "off" | "hash" | "full";
  /** A node that takes longer is a stall, in milliseconds. Default 30 000. */
  readonly stallThresholdMs?: number;
  /** How often figures are sent to who listens, in milliseconds. Default 1000. */
  readonly metricsIntervalMs?: number;
  /** The part of the runs that is traced, from 0 to 1. Default 1. */
  readonly sampleRatio?: number;
  /** Who is told of alerts, and by which rules. Default: the page alone, of error rates above 5 %. */
  readonly alerts?: { readonly hooks?: readonly AlertHook[]; readonly rules?: readonly AlertRule[] };
  /** Metrics of the program's own, shown beside the framework's. Default none. */
  readonly metrics?: readonly Pick<Counter, "dropped" | "register">[];
  /**
   * Where what operators do is recorded, and how the log is verified. Default: in the audit log of
   * the ingress; without one it is logged at info.
   */
  readonly audit?: InspectorAuditOptions;
  /** Told of the link, with its token where one was made. Default: writes it to stdout. */
  readonly announce?: (link: string) => void;
}

const OPTIONS = namesOf<InspectorOptions>({
  enabled: true,
  auth: true,
  host: true,
  port: true,
  allowedHosts: true,
  allowedOrigins: true,
  capturePayloads: true,
  stallThresholdMs: true,
  metricsIntervalMs: true,
  sampleRatio: true,
  alerts: true,
  metrics: true,
  audit: true,
  announce: true,
});

/** What has been said up to now; what is said later wins. */
export interface Settings {
  readonly options: InspectorOptions;
  /** The last one that was given. */
  readonly config: FrameworkConfig | undefined;
}

export interface ResolvedSettings extends Required<Omit<InspectorOptions, "auth" | "announce">> {
  readonly auth: BearerAuth | undefined;
  readonly announce: ((link: string) => void) | undefined;
  readonly config: FrameworkConfig | undefined;
}

/** Throws CONFIG_INVALID. */
export function requireInspectorOptions(options: InspectorOptions): InspectorOptions {
  const where = "inspector()";
  requireKnown(where, options, OPTIONS);
  requireLists(where, options, ["allowedHosts", "allowedOrigins", "metrics"]);
  if (options.metrics?.every(isOwnMetric) === false)
    throw invalid("metrics are made by new Counter(...) and new Histogram(...)");
  const { auth, port, stallThresholdMs, metricsIntervalMs, sampleRatio, announce, enabled } = options;
  if (enabled !== undefined && typeof enabled !== "boolean") throw invalid("enabled is true or false");
  if (auth !== undefined && !(auth instanceof BearerAuth))
    throw invalid("auth is made by BearerAuth.tokens(...), BearerAuth.fromEnv() or BearerAuth.verify(...)");
  if (announce !== undefined && typeof announce !== "function") throw invalid("announce is a function");
  if (port !== undefined) requireInteger("port of inspector()", port, 0, 65_535);
  if (stallThresholdMs !== undefined)
    requireInteger("stallThresholdMs of inspector()", stallThresholdMs, 1, 86_400_000);
  if (metricsIntervalMs !== undefined)
    requireInteger("metricsIntervalMs of inspector()", metricsIntervalMs, 100, 3_600_000);
  if (sampleRatio !== undefined && !(sampleRatio >= 0 && sampleRatio <= 1))
    throw invalid("sampleRatio is a number from 0 to 1");
  if (options.alerts !== undefined) {
    requireKnown("alerts of inspector()", options.alerts, ["hooks", "rules"]);
    requireLists("alerts of inspector()", options.alerts, ["hooks", "rules"]);
  }
  if (options.audit !== undefined) requireAudit(options.audit);
  requireOneOf("capturePayloads of inspector()", options.capturePayloads, ["off", "hash", "full"]);
  return options;
}

function requireAudit(audit: InspectorAuditOptions): void {
  const where = "audit of inspector()";
  requireKnown(where, audit, ["sink", "onFailure", "keys", "anchor"]);
  requireLists(where, audit, ["keys"]);
  if (audit.sink !== undefined) requireAuditSink(where, audit.sink);
  if (audit.onFailure !== undefined) requireAuditFailureMode(where, audit.onFailure);
}

/** What some layer of a configuration sets, as options. */
export function configuredOptions(config: FrameworkConfig): InspectorOptions {
  const { inspector } = config;
  const set = (name: string): boolean => config.isSet(`inspector.${name}`);
  const { bearerToken, viewerToken } = inspector;
  if (viewerToken !== undefined && bearerToken === undefined)
    throw invalid("inspector.viewer_token is set without inspector.bearer_token: there would be no operator");
  return {
    ...(set("enabled") && { enabled: inspector.enabled }),
    ...(set("host") && { host: inspector.host }),
    ...(set("port") && { port: inspector.port }),
    ...(bearerToken !== undefined && {
      auth: BearerAuth.tokens({
        operator: bearerToken.reveal(),
        ...(viewerToken !== undefined && { viewer: viewerToken.reveal() }),
      }),
    }),
    ...(set("capture_payloads") && { capturePayloads: inspector.capturePayloads }),
    ...(set("stall_threshold_ms") && { stallThresholdMs: inspector.stallThresholdMs }),
    ...(set("metrics_interval_ms") && { metricsIntervalMs: inspector.metricsIntervalMs }),
    ...(set("sample_ratio") && { sampleRatio: inspector.sampleRatio }),
  };
}

/** With the defaults. Throws INSPECTOR_TOKEN_MISSING where nobody may use it, and it is to be served in production. */
export function resolvedSettings({ options, config }: Settings, production: boolean): ResolvedSettings {
  const { enabled = !production, auth, host = "127.0.0.1" } = options;
  if (enabled && production && auth === undefined)
    throw new FrameworkError(
      "INSPECTOR_TOKEN_MISSING",
      "The Inspector is to be served in production, and has no token: set inspector.bearer_token, best by FRAMEWORK_INSPECTOR_BEARER_TOKEN, or give inspector({ auth }), or enabled: false",
    );
  return {
    enabled,
    auth,
    host,
    port: options.port ?? 3001,
    allowedHosts: [...(isNamed(host) ? [bracketed(host)] : []), ...(options.allowedHosts ?? [])],
    allowedOrigins: options.allowedOrigins ?? [],
    capturePayloads: options.capturePayloads ?? "off",
    stallThresholdMs: options.stallThresholdMs ?? 30_000,
    metricsIntervalMs: options.metricsIntervalMs ?? 1000,
    sampleRatio: options.sampleRatio ?? 1,
    alerts: options.alerts ?? {},
    metrics: options.metrics ?? [],
    audit: options.audit ?? {},
    announce: options.announce,
    config,
  };
}

/** "0.0.0.0" is where it listens, and what nobody calls it. */
const isNamed = (host: string): boolean => host !== "0.0.0.0" && host !== "::" && !isLoopback(host);

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

const invalid = (problem: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `inspector(): ${problem}`);
