import type { AnyKey } from "#core/bus/bus-key.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
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
  /** The type of the resources is known at the declaration only. */
  readonly run: (resources: never, address: string) => unknown;
}

/** Phase of a server, shown by `/ready`. */
export type Phase = "starting" | "ready" | "draining";

export interface ExtensionSource {
  /** Loads the code of the extension. Returns undefined if it is loaded. */
  readonly load: () => Promise<unknown> | undefined;
  /** Called for each server before its circuits are compiled. */
  readonly make: (plan: IngressPlan) => Extension;
}

/** A value that is made when the ingress starts, and lives as long. */
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
  /** Route of page navigations, tried before the fallback. */
  readonly navigations: RouteDefinition | undefined;
  /** Constants on the Bus of every run, beside the resources. */
  readonly constants: readonly PlannedConstant[];
  readonly staticCacheControl: string | undefined;
  readonly reporter: Reporter;
  /** Log of steps, and the reporter's default. */
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
  /** Number of processes that share the port; "auto": one per core. */
  readonly workers: number | "auto";
  readonly healthChecks: readonly HealthCheckPlan[];
  readonly hooks: readonly Hook[];
  readonly shutdownTimeoutMs: number;
  /** If undefined, the address decides. */
  readonly shutdownDelayMs: number | undefined;
  /** If undefined, the mode decides. */
  readonly drainIdleMs: number | undefined;
  readonly processGuards: boolean;
  readonly rooms: RoomBus | undefined;
  readonly stores: StoreSet | undefined;
  /** Event channels that take the stores of this ingress. */
  readonly channels: readonly StoresUser[];
  /** If undefined, the audit log of the stores, when the server starts. */
  readonly audit: AuditSink | undefined;
  /** If undefined, the defaults, or the options of another server in the process. */
  readonly pool: PoolOptions | undefined;
  readonly hosting: RunHostOptions;
  /** Created when the server starts; undefined if no Axon is kept. */
  readonly kept: KeptRuns | undefined;
  /** Path pattern of a run's status, with the parameter for its id. */
  readonly runStatus: string | undefined;
  /** Paths of `runSignal` that ask for nothing. */
  readonly openSignals: readonly string[];
  readonly traceRejections: boolean;
}
