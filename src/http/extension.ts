// What lives with a server beside its routes: the Inspector. One object for each server
// or TestApp, made by what the ingress was given.

import type { AnswerObserver } from "#core/answer-observer.js";
import type { Bus } from "#core/bus.js";
import type { DeadLetterSink } from "#core/dead-letter.js";
import type { MaybePromise } from "#core/outcome-types.js";
import type { Recorder, WatchedCircuit } from "#core/recorder.js";
import type { Reporter } from "#core/reporter.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import type { LogSource } from "#telemetry/log-source.js";
import type { InProcessAnswer, InProcessRequest } from "./in-process-request.js";
import type { IngressPlan } from "./ingress-plan.js";
import type { RouteInfo } from "./route-info.js";
import type { WorkerMark } from "./workers/worker-mark.js";

/** What a server has in hand right now. */
export interface ServerLoad {
  /** Requests that are not answered and have outlived their handler. */
  readonly requests: number;
  /** Runs that wait for a promise. */
  readonly runs: number;
  /** Connections of clients, those of WebSocket included; 0 in a TestApp. */
  readonly connections: number;
  readonly webSockets: number;
}

/** What an extension may know and use of its server. */
export interface ExtensionHost {
  readonly production: boolean;
  readonly reporter: Reporter;
  readonly log: LogSource;
  readonly routes: readonly RouteInfo[];
  /** Of routes, what no route serves, and messages of WebSocket; none where nobody records. */
  readonly circuits: readonly WatchedCircuit[];
  /** The Axons of the routes and of their WebSockets as they were declared, for re-drives and resumptions. */
  readonly axons: readonly AxonDefinition[];
  /** Where their dead letters go, each once. */
  readonly deadLetters: readonly DeadLetterSink[];
  /** Its resources, for runs of those Axons. */
  readonly resources: Bus;
  /** Which of several processes it is; undefined for one that serves alone, and in a TestApp. */
  readonly worker: WorkerMark | undefined;
  /** Whether it is a TestApp, which listens nowhere: what lives with it does not either. */
  readonly inMemory: boolean;
  readonly load: () => ServerLoad;
  /** Sends a request through gate, guards and circuit as a connection from 127.0.0.1 would. Never rejects. */
  readonly send: (request: InProcessRequest) => Promise<InProcessAnswer>;
}

/** An extension that has begun. */
export interface StartedExtension {
  /** The server listens, and is not ready yet. As `onReady` hooks it may fail the start. */
  readonly listening?: ((url: string) => unknown) | undefined;
  /** The server is to stop and serves on: what holds runs lets them go. */
  readonly stopping?: (() => void) | undefined;
  /** Nobody is served any more; the resources are there yet. Awaited up to the limit of stopping. */
  readonly stop?: (() => unknown) | undefined;
}

export interface Extension {
  /** For START_FAILED and reports. */
  readonly name: string;
  /** Shown each circuit as it is compiled, and told of those runs that it asks for. */
  readonly recorder?: Recorder | undefined;
  /** Told of every answer: of probes, of what no route serves, of what is refused before it. */
  readonly observer?: AnswerObserver | undefined;
  /** Called behind the hooks of onStart and before the server listens. Where it fails, `run` rejects with START_FAILED. */
  readonly start?: ((host: ExtensionHost) => MaybePromise<StartedExtension | undefined>) | undefined;
}

/** Where the extension of a server comes from. */
export interface ExtensionSource {
  /** Loads its code: a program that does not serve it does not pay for it. Undefined once it is loaded. */
  readonly load: () => Promise<unknown> | undefined;
  /** Called for each server before its circuits are compiled, and once the code is loaded. */
  readonly make: (plan: IngressPlan) => Extension;
}
