// The Inspector's options, from the program and from the configuration.

import type { AuditPublicKey } from "#audit/chain/signing-key.js";
import type { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditAnchor, AuditSink } from "#core/ports/audit-sink.js";
import { type AuditFailureMode, requireAuditFailureMode, requireAuditSink } from "#core/ports/audit-use.js";
import { requireOneOf } from "#http/plan/limit-options.js";
import { namesOf, requireInteger, requireKnown, requireLists } from "#http/refusal/option-checks.js";
import { type Counter, isOwnMetric } from "#telemetry/metrics/own-metrics.js";
import type { AlertHook } from "./alerts/alert-hook.js";
import type { AlertRule } from "./alerts/error-rates.js";
import { BearerAuth } from "./door/bearer-auth.js";

export interface InspectorAuditOptions {
  /** Default: the sink of the ingress (`audit()`, `stores()`). */
  readonly sink?: AuditSink;
  /**
   * "refuse" also records each action before it runs, and responds with 503 if that fails. "log"
   * runs the action and logs it at info. Default "log".
   */
  readonly onFailure?: AuditFailureMode;
  /**
   * Trusted public keys for checkpoints. Default: the sink's signing keys. Without keys the log is
   * shown as unsigned.
   */
  readonly keys?: readonly AuditPublicKey[];
  /** The anchor that the newest checkpoint is compared with. */
  readonly anchor?: AuditAnchor;
}

export interface InspectorOptions {
  /** Enables the Inspector. Default: true outside production. */
  readonly enabled?: boolean;
  /**
   * Authentication of requests. Default outside production: the token in the link printed at start.
   * In production there is no default.
   */
  readonly auth?: BearerAuth;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; 0 takes a free one. Default 3001. */
  readonly port?: number;
  /**
   * Accepted host names beside localhost, 127.0.0.1, [::1] and `host`. A request for another host
   * gets a 421.
   */
  readonly allowedHosts?: readonly string[];
  /** Origins that may send requests beside the Inspector's own. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Capture of inputs and outputs, redacted. Default "off". */
  readonly capturePayloads?: "off" | "hash" | "full";
  /**
   * Whether operators may run a recorded run again from a step, which needs `capturePayloads: "full"`.
   * Default: true outside production.
   */
  readonly rerun?: boolean;
  /** A node that runs longer is a stall, in milliseconds. Default 30 000. */
  readonly stallThresholdMs?: number;
  /** Interval of the figures in the live feed, in milliseconds. Default 1000. */
  readonly metricsIntervalMs?: number;
  /** Share of the runs that is traced, from 0 to 1. Default 1. */
  readonly sampleRatio?: number;
  /**
   * Receivers of alerts, and the rules that raise them. Default: no hooks, and a rule for error
   * rates above 5 %.
   */
  readonly alerts?: { readonly hooks?: readonly AlertHook[]; readonly rules?: readonly AlertRule[] };
  /** The program's own metrics, shown beside the framework's. Default: none. */
  readonly metrics?: readonly Pick<Counter, "dropped" | "register">[];
  /**
   * Recording of operators' actions, and the log's verification. Default: the audit log of the
   * ingress; without one, actions are logged at info.
   */
  readonly audit?: InspectorAuditOptions;
  /**
   * Shows spans of OpenTelemetry inside their steps, also without an endpoint for traces: registers a
   * context manager and a tracer provider. Costs each recorded run, and on Node.js 20 each promise.
   * Default false.
   */
  readonly spans?: boolean;
  /** Called with the link, which contains a generated token. Default: writes the link to stdout. */
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
  rerun: true,
  stallThresholdMs: true,
  metricsIntervalMs: true,
  sampleRatio: true,
  alerts: true,
  metrics: true,
  audit: true,
  spans: true,
  announce: true,
});

/** The options given so far; later ones override. */
export interface Settings {
  readonly options: InspectorOptions;
  /** The latest configuration. */
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
  const { auth, port, stallThresholdMs, metricsIntervalMs, sampleRatio, announce } = options;
  for (const name of ["enabled", "rerun", "spans"] as const)
    if (!["boolean", "undefined"].includes(typeof options[name])) throw invalid(`${name} is true or false`);
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

/** The values set by any layer of a configuration, as options. */
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

/**
 * Applies the defaults. Throws INSPECTOR_TOKEN_MISSING if it is enabled in production without
 * authentication.
 */
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
    rerun: options.rerun ?? !production,
    stallThresholdMs: options.stallThresholdMs ?? 30_000,
    metricsIntervalMs: options.metricsIntervalMs ?? 1000,
    sampleRatio: options.sampleRatio ?? 1,
    alerts: options.alerts ?? {},
    metrics: options.metrics ?? [],
    audit: options.audit ?? {},
    spans: options.spans ?? false,
    announce: options.announce,
    config,
  };
}

/** False for "0.0.0.0" and "::": they are addresses to listen on, not names in a URL. */
const isNamed = (host: string): boolean => host !== "0.0.0.0" && host !== "::";

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

const invalid = (problem: string): FrameworkError =>
  new FrameworkError("CONFIG_INVALID", `inspector(): ${problem}`);
