// What lives with a server beside its routes, such as the Inspector, as the plan names it.

import type { Bus } from "#core/bus/bus.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { AnswerObserver } from "#core/ports/answer-observer.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { Recorder, WatchedCircuit } from "#core/timeline/recorder.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { RunOwner } from "#runtime/kept/journal.js";
import type { LogSource } from "#telemetry/logging/log-source.js";
import type { RouteInfo } from "./route-info.js";

export type Lines = readonly (readonly [string, string])[];

export interface InProcessRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Host and framing headers are replaced. The caller checks them. */
  readonly headers?: Lines | undefined;
  readonly body?: Uint8Array | undefined;
  /** For finding its run (`TracedRun.request`). */
  readonly requestId?: string | undefined;
  /** Disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Disconnects above this size: a stream may have no end. Default 1 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

export interface InProcessAnswer {
  /** 0 without a response. */
  readonly status: number;
  readonly headers: Lines;
  /** With its content coding. */
  readonly body: Uint8Array;
  readonly isWhole: boolean;
}

export interface WorkerMark {
  /** 1 for the first. A worker that takes another's place has its number. */
  readonly number: number;
  /** How many there are. */
  readonly count: number;
  /** Where all of them listen. */
  readonly host: string;
  readonly port: number;
}

export interface ServerLoad {
  /** Requests in flight that have outlived their handler. */
  readonly requests: number;
  /** Runs awaiting a promise. */
  readonly runs: number;
  /** Of clients, WebSocket included; 0 in a TestApp. */
  readonly connections: number;
  readonly webSockets: number;
}

export interface ExtensionHost {
  readonly production: boolean;
  readonly reporter: Reporter;
  readonly log: LogSource;
  readonly routes: readonly RouteInfo[];
  /** Of routes, the fallback and WebSocket messages; none without a recorder. */
  readonly circuits: readonly WatchedCircuit[];
  /** As declared, for re-drives and resumptions. */
  readonly axons: readonly AxonDefinition[];
  readonly deadLetters: readonly DeadLetterSink[];
  /** For re-drives and resumptions: resources, what the ingress puts beside them, and its log. */
  readonly resources: Bus;
  /** Owns the kept runs of this process; undefined where no Axon is kept. */
  readonly runHost: RunOwner | undefined;
  /** Undefined with one process, and in a TestApp. */
  readonly worker: WorkerMark | undefined;
  /** Whether it is a TestApp, which listens nowhere. */
  readonly inMemory: boolean;
  readonly load: () => ServerLoad;
  /** Sends a request as a connection from 127.0.0.1 would. Never rejects. */
  readonly send: (request: InProcessRequest) => Promise<InProcessAnswer>;
}

export interface StartedExtension {
  /** Called before the server is ready; may fail the start, as `onReady` does. */
  readonly listening?: ((url: string) => unknown) | undefined;
  /** Called when the server is to stop and still serves: to release held runs. */
  readonly stopping?: (() => void) | undefined;
  /** Called after the last request, before the resources are disposed of. Awaited up to the limit of stopping. */
  readonly stop?: (() => unknown) | undefined;
}

export interface Extension {
  /** For START_FAILED and reports. */
  readonly name: string;
  readonly recorder?: Recorder | undefined;
  /** Called with every response: also of probes, and of requests without a route. */
  readonly observer?: AnswerObserver | undefined;
  /** Called after the hooks of onStart, before the server listens. Where it fails, `run` rejects with START_FAILED. */
  readonly start?: ((host: ExtensionHost) => MaybePromise<StartedExtension | undefined>) | undefined;
}
