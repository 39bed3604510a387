import type { AnyKey } from "#core/bus-key.js";
import type { AnyGuard } from "#core/guard.js";
import type { AnyLayer } from "#core/layer.js";
import type { Recorder } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { RoomBus } from "#core/room-bus.js";
import type { LogSource } from "#telemetry/log-source.js";
import type { Tracing } from "#telemetry/tracing/tracing.js";
import type { Address } from "./address.js";
import type { CompressionRules } from "./compression/compression-rules.js";
import type { ExtensionSource } from "./extension.js";
import type { HealthCheckPlan } from "./health-check.js";
import type { Hook } from "./lifecycle.js";
import type { LimitPlan } from "./limit-options.js";
import type { Provision } from "./provided-value.js";
import type { RouteDefinition } from "./route-definition.js";
import type { RouterOptions } from "./router.js";
import type { TlsPlan } from "./tls/tls-options.js";

/** A value that is made when the ingress begins, and lives as long. */
export interface PlannedConstant {
  readonly key: AnyKey;
  readonly make: (plan: IngressPlan) => unknown;
}

/** What was declared of an ingress, before it runs. */
export interface IngressPlan extends RouterOptions, LimitPlan {
  readonly production: boolean;
  readonly resources: readonly AnyKey[];
  readonly routes: readonly RouteDefinition[];
  readonly provisions: readonly Provision[];
  /** Before and around every route. */
  readonly guards: readonly AnyGuard[];
  readonly layers: readonly AnyLayer[];
  /** Serves what no route does; undefined for the problem of 404. */
  readonly fallback: RouteDefinition | undefined;
  /** Serves who goes to a page that no route does, before that; undefined for nobody. */
  readonly navigations: RouteDefinition | undefined;
  /** What every run finds on the Bus beside the resources. */
  readonly constants: readonly PlannedConstant[];
  /** Of files whose directory says none. */
  readonly staticCacheControl: string | undefined;
  readonly reporter: Reporter;
  /** The log that steps write to; also the reporter's, where no other was given. */
  readonly log: LogSource;
  readonly recorder: Recorder | undefined;
  /** What lives with each server of it. */
  readonly extensions: readonly ExtensionSource[];
  /** Where traces go; undefined where none are sent. */
  readonly tracing: Tracing | undefined;
  readonly address: Address;
  /** Undefined: it speaks plain HTTP. */
  readonly tls: TlsPlan | undefined;
  /** Whether each answer carries an x-request-id. */
  readonly requestIds: boolean;
  /** How answers are compressed; undefined where none is. */
  readonly compression: CompressionRules | undefined;
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  /** Processes that share the port; "auto": one for each core. */
  readonly workers: number | "auto";
  readonly healthChecks: readonly HealthCheckPlan[];
  /** In the order of their declaration, whatever their kind. */
  readonly hooks: readonly Hook[];
  readonly shutdownTimeoutMs: number;
  /** Undefined: by the address (shutdown-times.ts). */
  readonly shutdownDelayMs: number | undefined;
  /** Undefined: by the mode. */
  readonly drainIdleMs: number | undefined;
  /** Whether `run` handles signals, unhandled rejections and uncaught exceptions. */
  readonly processGuards: boolean;
  /** Joins the rooms of WebSocket connections with those of other processes. */
  readonly rooms: RoomBus | undefined;
  /** Whether rejections that nobody awaits are told with the ids of their requests. */
  readonly traceRejections: boolean;
}
