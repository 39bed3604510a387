// A listening ingress, from its first hook to its last resource.
//
//   SV1. It begins in this order: circuits, certificates, hooks of onStart, extensions, the
//        listener, hooks of onReady. Whatever fails, what has begun is undone before `run` rejects.
//   SV2. It stops in two phases: first it is not ready, but serves, while balancers look
//        elsewhere; then the listener closes, and each answer ends its connection.
//   SV3. Nothing is closed while a run or an answer is left, up to the limit. What the
//        hooks and resources take comes after it, up to CLOSING_MS more.

import { setTimeout as pause } from "node:timers/promises";

import { Dispatcher } from "./dispatcher.js";
import type { ExtensionHost } from "./extension.js";
import { extensionHost } from "./extension-host.js";
import { extensionsFor, loadExtensions } from "./extensions.js";
import { InFlight } from "./in-flight.js";
import type { IngressPlan } from "./ingress-plan.js";
import { Lifecycle, type Phase } from "./lifecycle.js";
import { type Listeners, openListeners, requireCertificates } from "./listeners.js";
import { reportLoopDelay } from "./loop-delay.js";
import { isTestedBinary, nativeBinding } from "./native/binding.js";
import { Connections } from "./native/connections.js";
import { guardProcess } from "./process-guards.js";
import { type Given, made } from "./resources.js";
import { type ShutdownTimes, shutdownTimes } from "./shutdown-times.js";
import { until, within } from "./until.js";

import type { IngressRooms } from "./websocket/rooms.js";
import { followSupervisor, type Ruled, tellFailed, tellReady } from "./workers/worker.js";
import type { WorkerMark } from "./workers/worker-mark.js";

/** What hooks of onShutdown and resources may take, where little or nothing is left of the limit. */
const CLOSING_MS = 2000;

/** What a collector of traces gets to take the last of them: one that is not there must not hold up who restarts. */
const FLUSH_MS = 3000;

export interface RunningServer {
  /** What this process does: serves alone, rules workers that serve, or is one of them. */
  readonly role: "alone" | "supervisor" | "worker";
  /** Where it listens: "127.0.0.1:3000", with the real port, or "unix:/path". */
  readonly address: string;
  /** The same as a URL: "https://127.0.0.1:3000" with TLS; "unix:/path" as it is. */
  readonly url: string;
  /** Stops it; resolves when it has stopped. */
  close(): Promise<void>;
  /** Resolves when it has stopped, by whomever: true where no run was cut. */
  readonly closed: Promise<boolean>;
}

/** Rejects with what hindered it, once what had begun is undone. Where a signal comes first it never settles: the process ends. */
export async function start(plan: IngressPlan, given: Given, worker?: WorkerMark): Promise<RunningServer> {
  const server = new Server(plan, given, worker);
  const address = await server.begin();
  const role = worker === undefined ? "alone" : "worker";
  const url = urlOf(plan, address);
  return { role, address, url, close: () => server.close(), closed: server.closed };
}

/** The address of a server with its scheme. */
export const urlOf = ({ tls, address: { kind } }: IngressPlan, address: string): string =>
  kind === "unix" ? address : `${tls === undefined ? "http" : "https"}://${address}`;

/** What there is once the ingress listens. */
interface Serving {
  readonly dispatcher: Dispatcher;
  readonly listeners: Listeners;
  readonly stopWatching: () => void;
}

class Server implements Ruled {
  readonly closed: Promise<boolean>;
  #tellClosed: (drained: boolean) => void = () => {};
  readonly #plan: IngressPlan;
  readonly #times: ShutdownTimes;
  readonly #given: Given;
  readonly #worker: WorkerMark | undefined;
  readonly #lifecycle: Lifecycle;
  readonly #inFlight: InFlight;
  readonly #connections: Connections;
  readonly #unguard: () => void;
  #rooms: IngressRooms | undefined;
  #serving: Serving | undefined;
  #beginning: Promise<string> | undefined;
  #stopping: Promise<boolean> | undefined;

  constructor(plan: IngressPlan, given: Given, worker: WorkerMark | undefined) {
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    this.#plan = plan;
    this.#inFlight = new InFlight(plan);
    this.#connections = new Connections(plan.maxConnections, plan.reporter);
    this.#times = shutdownTimes(plan);
    this.#given = given;
    this.#worker = worker;
    this.#lifecycle = new Lifecycle(plan);
    const { closed } = this;
    this.#unguard = plan.processGuards
      ? guardProcess({ close: () => this.close(), closed, reporter: plan.reporter })
      : () => {};
    if (worker !== undefined) followSupervisor(this);
  }

  async begin(): Promise<string> {
    this.#beginning = this.#begin();
    const address = await this.#beginning.catch(async (error: unknown) => {
      const interrupted = this.#stopping !== undefined;
      if (this.#worker !== undefined) tellFailed(error);
      await this.#stopOnce(0);
      if (!interrupted) throw error;
      return "";
    });
    return this.#lifecycle.isStopping ? new Promise(() => {}) : address;
  }

  async close(): Promise<void> {
    await this.#stopOnce(this.#times.delayMs);
  }

  async stop(atOnce: boolean): Promise<void> {
    await this.#stopOnce(atOnce ? 0 : this.#times.delayMs);
  }

  async #begin(): Promise<string> {
    const plan = this.#plan;
    const resources = await made(this.#given);
    this.#lifecycle.own(resources);
    await loadExtensions(plan);
    const extensions = extensionsFor(plan);
    const phase = (): Phase => this.#lifecycle.phase;
    const dispatcher = new Dispatcher(plan, resources, this.#inFlight, phase, extensions);
    this.#rooms = dispatcher.webSockets.rooms;
    await requireCertificates(plan);
    await plan.tracing?.published;
    await this.#lifecycle.start();
    await this.#lifecycle.extend(extensions.all, () => this.#hostOf(dispatcher, resources));
    if (this.#lifecycle.isStopping) return "";
    const context = { plan, dispatcher, connections: this.#connections, worker: this.#worker };
    const listeners = await openListeners(context);
    dispatcher.deadlines.start();
    this.#serving = { dispatcher, listeners, stopWatching: watchProcess(plan) };
    await this.#lifecycle.tellListening(urlOf(plan, listeners.address));
    await this.#lifecycle.announce(listeners.address);
    if (this.#worker !== undefined) tellReady();
    return listeners.address;
  }

  #hostOf(dispatcher: Dispatcher, resources: Readonly<Record<string, unknown>>): ExtensionHost {
    const inFlight = this.#inFlight;
    const connections = (): number => this.#connections.count;
    return extensionHost({
      plan: this.#plan,
      dispatcher,
      resources,
      inFlight,
      connections,
      worker: this.#worker,
    });
  }

  async #stopOnce(delayMs: number): Promise<void> {
    this.#stopping ??= this.#stop(delayMs);
    this.#tellClosed(await this.#stopping);
  }

  async #stop(delayMs: number): Promise<boolean> {
    const { limitMs } = this.#times;
    const began = performance.now();
    const endsAt = began + limitMs;
    // What hangs here must not take all the time: the listener is open meanwhile.
    const withdrawnBy = Math.min(endsAt, began + Math.max(delayMs, CLOSING_MS));
    await Promise.all([this.#serving && pause(delayMs), this.#lifecycle.withdraw(withdrawnBy)]);
    // A server that begins does not end in the middle of a hook.
    await within(endsAt, this.#beginning);
    const drained = this.#serving === undefined || (await this.#drain(this.#serving, endsAt));
    await within(Math.max(endsAt, performance.now() + CLOSING_MS), this.#rooms?.end());
    const closedBy = Math.max(endsAt, performance.now() + CLOSING_MS);
    const flushMs = Math.min(FLUSH_MS, closedBy - performance.now());
    const flushed = this.#plan.tracing?.rest(pause(flushMs, undefined, { ref: false }));
    await Promise.all([this.#lifecycle.end(closedBy), flushed]);
    this.#unguard();
    return drained;
  }

  async #drain({ dispatcher, listeners, stopWatching }: Serving, endsAt: number): Promise<boolean> {
    listeners.close();
    this.#inFlight.endsConnections = true;
    dispatcher.webSockets.close(1001, "The server stops");
    dispatcher.events.close();
    const isIdle = (): boolean => this.#inFlight.count === 0 && dispatcher.running === 0;
    const answered = await until(isIdle, endsAt);
    if (answered)
      await until(
        () => this.#connections.count === 0,
        Math.min(endsAt, performance.now() + this.#times.idleMs),
      );
    // A connection that was waited for may have brought another request.
    const drained = answered && (await until(isIdle, endsAt));
    if (!drained) dispatcher.reportCut(this.#inFlight.count, this.#times.limitMs);
    stopWatching();
    listeners.end();
    dispatcher.deadlines.stop();
    return drained;
  }
}

/** Reports what is wrong of the process itself. Answers what ends it. */
function watchProcess(plan: IngressPlan): () => void {
  // Reading and hashing 7 MB can wait until the first requests are answered.
  const checkingBinary = setTimeout(() => warnOfUntestedBinary(plan), 1000).unref();
  const endLoopDelay = reportLoopDelay(plan.reporter);
  return () => {
    clearTimeout(checkingBinary);
    endLoopDelay();
  };
}

function warnOfUntestedBinary({ reporter }: IngressPlan): void {
  const binding = nativeBinding();
  if (isTestedBinary(binding) !== false) return;
  const message = `The native server ${binding.source} is not the binary that was tested: install the version that package.json names`;
  reporter({ code: "NATIVE_UNTESTED", message });
}
