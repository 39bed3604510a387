// Extensions of a server beside its routes, such as the Inspector: their types in the plan.

import type { Bus } from "#core/bus/bus.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { CountAnswer } from "#core/ports/answer-observer.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { Recorder, WatchedCircuit } from "#core/timeline/recorder.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { RunHost } from "#runtime/hosting/run-host.js";
import type { LogSource } from "#telemetry/logging/log-source.js";
import type { RouteInfo } from "./route-info.js";

export type Lines = readonly (readonly [string, string])[];

export interface InProcessRequest {
  readonly method: string;
  /** Path and query of the request. */
  readonly target: string;
  /** Host and framing headers are replaced. The caller validates the others. */
  readonly headers?: Lines | undefined;
  readonly body?: Uint8Array | undefined;
  /** Identifies its run (`TracedRun.request`). */
  readonly requestId?: string | undefined;
  /** Disconnects the client when it fires. */
  readonly signal?: AbortSignal | undefined;
  /** Begins its run at this node: the front of the route decides first, and its input is not read. */
  readonly entry?: RunEntry | undefined;
  /** Disconnects above this number of bytes, because a stream may be endless. Default 1 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

/** A node behind the input of its route, at which a run begins. */
export interface RunEntry {
  /** "POST /orders/:id". */
  readonly route: string;
  readonly node: string;
  readonly input: unknown;
  /** Values that steps before the node would have written, by the names of their keys. */
  readonly bus: ReadonlyMap<string, unknown>;
}

/** What a run needs that begins at a node. */
export type EntryPlace =
  | { readonly kind: "refused"; readonly reason: string }
  | {
      readonly kind: "open";
      /** Names of the keys that steps before the node write, and steps from it on use. */
      readonly keys: readonly string[];
      /** A line for each key that steps read and that neither the front nor these names provide. */
      readonly missing: (given: readonly string[]) => readonly string[];
    };

export interface InProcessAnswer {
  /** Status; 0 without a response. */
  readonly status: number;
  readonly headers: Lines;
  /** Body with its content coding. */
  readonly body: Uint8Array;
  readonly isWhole: boolean;
}

export interface WorkerMark {
  /** Number of the worker, from 1. A restarted worker keeps its number. */
  readonly number: number;
  /** Number of workers. */
  readonly count: number;
  /** Host on which all workers listen. */
  readonly host: string;
  readonly port: number;
}

/** What a supervisor has counted: ends of workers without a signal to stop. */
export interface WorkerCrashes {
  /** By number of the worker, from 1, since the start of the supervisor. */
  readonly totals: readonly number[];
  /** Times of the latest crashes, in milliseconds since 1970. */
  readonly at: readonly number[];
  /** The latest: "worker 3 with code 7". */
  readonly last: string;
}

export interface ServerLoad {
  /** Requests in flight that have outlived their handler. */
  readonly requests: number;
  /** Runs awaiting a promise. */
  readonly runs: number;
  /** Connections of clients, WebSocket included; 0 in a TestApp. */
  readonly connections: number;
  readonly webSockets: number;
}

export interface ExtensionHost {
  readonly production: boolean;
  readonly reporter: Reporter;
  readonly log: LogSource;
  readonly routes: readonly RouteInfo[];
  /** Circuits of routes, the fallback and WebSocket messages; empty without a recorder. */
  readonly circuits: readonly WatchedCircuit[];
  /** The declared Axons, for re-drives and resumptions. */
  readonly axons: readonly AxonDefinition[];
  readonly deadLetters: readonly DeadLetterSink[];
  /** For re-drives and resumptions: resources, constants of the ingress, and its log. */
  readonly resources: Bus;
  /** Owns the kept runs of this process; undefined if no Axon is kept. */
  readonly runHost: RunHost | undefined;
  /** Undefined with one process, and in a TestApp. */
  readonly worker: WorkerMark | undefined;
  /** Crashes of workers; undefined without any. */
  readonly crashes: () => WorkerCrashes | undefined;
  /** True for a TestApp, which does not listen. */
  readonly inMemory: boolean;
  readonly load: () => ServerLoad;
  /** Sends a request like a connection from 127.0.0.1. Never rejects. */
  readonly send: (request: InProcessRequest) => Promise<InProcessAnswer>;
  /** Whether a run of a route can begin at a node (`InProcessRequest.entry`). */
  readonly entryAt: (route: string, node: string) => EntryPlace;
}

export interface StartedExtension {
  /** Called before the server is ready; may fail the start, as `onReady` does. */
  readonly listening?: ((url: string) => unknown) | undefined;
  /** Called when a shutdown starts and the server still serves. Releases held runs. */
  readonly stopping?: (() => void) | undefined;
  /** Called after the last request, before the resources are disposed of. Awaited up to the shutdown limit. */
  readonly stop?: (() => unknown) | undefined;
}

export interface Extension {
  /** Name in START_FAILED and reports. */
  readonly name: string;
  readonly recorder?: Recorder | undefined;
  /** Counts every response, including those of probes and of requests without a route. */
  readonly count?: CountAnswer | undefined;
  /** Called for an erasure: drops what it keeps of past requests in memory. Returns how many it dropped. */
  readonly forget?: (() => number) | undefined;
  /** Called after the onStart hooks, before the server listens. If it fails, `run` rejects with START_FAILED. */
  readonly start?: ((host: ExtensionHost) => MaybePromise<StartedExtension | undefined>) | undefined;
}
