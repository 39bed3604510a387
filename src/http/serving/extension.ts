// What lives with a server beside its routes: the Inspector.

import type { Bus } from "#core/bus/bus.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Reporter } from "#core/bus/reporter.js";
import type { AnswerObserver } from "#core/ports/answer-observer.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import type { Recorder, WatchedCircuit } from "#core/timeline/recorder.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import type { RunOwner } from "#runtime/kept/journal.js";
import type { LogSource } from "#telemetry/logging/log-source.js";
import type { RouteInfo } from "../ingress/route-info.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { InProcessAnswer, InProcessRequest } from "../request/in-process-request.js";
import { joinedRecorder } from "../request/joined-recorder.js";
import type { WorkerMark } from "./workers/worker-mark.js";

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

export interface ExtensionSource {
  /** Loads its code; undefined once it is loaded. */
  readonly load: () => Promise<unknown> | undefined;
  /** Called for each server before its circuits are compiled. */
  readonly make: (plan: IngressPlan) => Extension;
}

export interface Extensions {
  readonly all: readonly Extension[];
  readonly observers: readonly AnswerObserver[];
  /** The recorder of the server, whose own one is told first. */
  readonly recorderBeside: (own: Recorder | undefined) => Recorder | undefined;
}

const extensionsOf = (all: readonly Extension[]): Extensions => ({
  all,
  observers: all.flatMap(({ observer }) => observer ?? []),
  recorderBeside: (own) =>
    joinedRecorder(
      [own, ...all.map(({ recorder }) => recorder)].filter((one) => one !== undefined),
      true,
    ),
});

export const noExtensions: Extensions = extensionsOf([]);

/** Undefined if all code is loaded. */
export function loadExtensions({ extensions }: IngressPlan): Promise<unknown> | undefined {
  const loading = extensions.flatMap((source) => source.load() ?? []);
  return loading.length === 0 ? undefined : Promise.all(loading);
}

/** New for each server. Their code must be loaded. */
export const extensionsFor = (plan: IngressPlan): Extensions =>
  plan.extensions.length === 0 ? noExtensions : extensionsOf(plan.extensions.map(({ make }) => make(plan)));
