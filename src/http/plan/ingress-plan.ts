import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import type { StoreSet } from "#core/ports/store-set.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { PoolOptions } from "#pool/process-pool.js";
import type { RunHostOptions } from "#runtime/hosting/run-host.js";
import type { KeptRuns } from "#runtime/hosting/served-runs.js";
import type { LogSource } from "#telemetry/logging/log-source.js";
import type { Tracing } from "#telemetry/tracing/tracing.js";
import type { Address } from "../refusal/address.js";
import type { RouterOptions } from "../routing/router.js";
import type { TlsPlan } from "../tls/tls-options.js";
import type { CompressionRules } from "./compression-rules.js";
import type { Extension } from "./extension.js";
import type { HealthCheckPlan } from "./health-check.js";
import type { LimitPlan } from "./limit-options.js";
import type { Provision } from "./provision.js";
import type { RouteDefinition } from "./route-definition.js";

export interface Hook {
  readonly kind: "onStart" | "onReady" | "onShutdown";
  /** The type of the resources is known at the declaration alone. */
  readonly run: (resources: never, address: string) => unknown;
}

/** As `/ready` shows it. */
export type Phase = "starting" | "ready" | "draining";

export interface ExtensionSource {
  /** Loads its code; undefined once it is loaded. */
  readonly load: () => Promise<unknown> | undefined;
  /** Called for each server before its circuits are compiled. */
  readonly make: (plan: IngressPlan) => Extension;
}

/** A value that is made when the ingress begins, and lives as long. */
export interface PlannedConstant {
  readonly key: AnyKey;
  readonly make: (plan: IngressPlan) => unknown;
}

export interface IngressPlan extends RouterOptions, LimitPlan {
  readonly production: boolean;
  readonly resources: readonly AnyKey[];
  readonly routes: readonly RouteDefinition[];
  readonly provisions: readonly Provision[];
  readonly guards: readonly AnyGuard[];
  readonly layers: readonly AnyLayer[];
  /** Undefined for the problem of 404. */
  readonly fallback: RouteDefinition | undefined;
  /** For page navigations, before the fallback. */
  readonly navigations: RouteDefinition | undefined;
  /** On the Bus of every run, beside the resources. */
  readonly constants: readonly PlannedConstant[];
  readonly staticCacheControl: string | undefined;
  readonly reporter: Reporter;
  /** For steps; also the reporter's, by default. */
  readonly log: LogSource;
  readonly recorder: Recorder | undefined;
  readonly extensions: readonly ExtensionSource[];
  /** Undefined without traces. */
  readonly tracing: Tracing | undefined;
  readonly address: Address;
  readonly tls: TlsPlan | undefined;
  readonly requestIds: boolean;
  readonly compression: CompressionRules | undefined;
  readonly bodyLimit: number;
  readonly bodyTimeoutMs: number;
  /** Processes that share the port; "auto": one for each core. */
  readonly workers: number | "auto";
  readonly healthChecks: readonly HealthCheckPlan[];
  readonly hooks: readonly Hook[];
  readonly shutdownTimeoutMs: number;
  /** Undefined: by the address. */
  readonly shutdownDelayMs: number | undefined;
  /** Undefined: by the mode. */
  readonly drainIdleMs: number | undefined;
  readonly processGuards: boolean;
  readonly rooms: RoomBus | undefined;
  readonly stores: StoreSet | undefined;
  /** Undefined: that of the stores, once the server begins. */
  readonly audit: AuditSink | undefined;
  /** Undefined: the defaults, or as another server of the process says. */
  readonly pool: PoolOptions | undefined;
  readonly hosting: RunHostOptions;
  /** Made where the server begins; undefined where no Axon is kept. */
  readonly kept: KeptRuns | undefined;
  /** The path where the result of a run is asked for, with the parameter for its id. */
  readonly runStatus: string | undefined;
  readonly traceRejections: boolean;
}
