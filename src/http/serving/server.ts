// A listening ingress. It starts circuits, certificates, onStart, extensions, the listener and onReady;
// a failure undoes the started parts. It stops in two phases: first not ready but serving, while load
// balancers stop sending requests; then the listener closes, and each response closes its connection.
// Up to the limit it waits for runs and responses; hooks and resources get CLOSING_MS more.

import { setTimeout as pause } from "node:timers/promises";
import { useStores } from "../description/used-stores.js";
import { InFlight } from "../exchange/in-flight.js";
import { isTestedBinary, nativeBinding } from "../native/binding.js";
import { Connections } from "../native/connections.js";
import type { ExtensionHost, WorkerMark } from "../plan/extension.js";
import type { IngressPlan, Phase } from "../plan/ingress-plan.js";
import { until, within } from "../refusal/timeout.js";
import { reportPersonalFields } from "../request/checks/personal-fields.js";
import { sharedBus } from "../request/shared-bus.js";
import type { IngressRooms } from "../websocket/rooms.js";
import { extensionsFor, loadExtensions, noExtensions } from "./extension.js";
import { extensionHost } from "./extension-host.js";
import { watchHosts } from "./host-state.js";
import { keptRunsOf, noRuns, type RunsByHand, requestHostOf, runsByHand } from "./kept-runs.js";
import { type Given, Lifecycle, made } from "./lifecycle.js";
import { type Listeners, openListeners, requireCertificates } from "./listeners.js";
import { reportLoopDelay } from "./loop-delay.js";
import { reportLostMemory } from "./lost-memory.js";
import { roomsOf } from "./mounted-stores.js";
import { guardProcess } from "./process-guards.js";
import { type ServedIngress, servedIngress } from "./served-ingress.js";
import { type ShutdownTimes, shutdownTimes } from "./shutdown-times.js";
import {
  followSupervisor,
  type Ruled,
  tellFailed,
  tellReady,
  tellSignalled,
  tellStopping,
} from "./workers/worker.js";

/** Time for onShutdown and resources, beyond the limit. */
const CLOSING_MS = 2000;

/** Time for the last traces: a missing collector must not delay a restart. */
const FLUSH_MS = 3000;

export interface RunningServer {
  /** Role of this process: serves alone, supervises workers, or is a worker. */
  readonly role: "alone" | "supervisor" | "worker";
  /** "127.0.0.1:3000", with the real port, or "unix:/path". */
  readonly address: string;
  /** "https://127.0.0.1:3000" with TLS; "unix:/path" as it is. */
  readonly url: string;
  /** The runs of its kept Axons. Throws CONFIG_INVALID if no Axon is kept. */
  readonly runs: RunsByHand;
  /** Stops the server. Resolves when it has stopped. */
  close(): Promise<void>;
  /** Resolves when the server has stopped, for any reason: to true if no run was cut. */
  readonly closed: Promise<boolean>;
}

/** Rejects after undoing the started parts. Never settles if a signal arrives first, because the process exits. */
export async function start(plan: IngressPlan, given: Given, worker?: WorkerMark): Promise<RunningServer> {
  const server = new Server(plan, given, worker);
  const address = await server.begin();
  const role = worker === undefined ? "alone" : "worker";
  const url = urlOf(plan, address);
  return { role, address, url, runs: server.runs, close: () => server.close(), closed: server.closed };
}

export const urlOf = ({ tls, address: { kind } }: IngressPlan, address: string): string =>
  kind === "unix" ? address : `${tls === undefined ? "http" : "https"}://${address}`;

interface Serving {
  readonly served: ServedIngress;
  readonly listeners: Listeners;
  readonly stopWatching: () => void;
}

class Server implements Ruled {
  readonly closed: Promise<boolean>;
  #tellClosed: (drained: boolean) => void = () => {};
  #plan: IngressPlan;
  readonly #times: ShutdownTimes;
  readonly #given: Given;
  readonly #worker: WorkerMark | undefined;
  readonly #lifecycle: Lifecycle;
  readonly #inFlight: InFlight;
  readonly #connections: Connections;
  readonly #unguard: () => void;
  #rooms: IngressRooms | undefined;
  #endStores: () => void = () => {};
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
    const signalled = worker && tellSignalled;
    this.#unguard = plan.processGuards
      ? guardProcess({ close: () => this.close(), closed, reporter: plan.reporter, signalled })
      : () => {};
    if (worker !== undefined) followSupervisor(this);
  }

  get runs(): RunsByHand {
    const { kept } = this.#plan;
    return kept === undefined ? noRuns : runsByHand(kept.runs);
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
    const resources = await made(this.#given);
    this.#lifecycle.own(resources);
    this.#endStores = useStores(this.#plan);
    await this.#lifecycle.openStores();
    const phase = (): Phase => this.#lifecycle.phase;
    let extensions = noExtensions;
    const forget = (): number => extensions.all.reduce((sum, each) => sum + (each.forget?.() ?? 0), 0);
    const kept = keptRunsOf(this.#plan, phase, forget);
    const plan = { ...this.#plan, kept, rooms: roomsOf(this.#plan) };
    this.#plan = plan;
    if (kept !== undefined) await this.#lifecycle.host(kept.host);
    await loadExtensions(plan);
    extensions = extensionsFor(plan);
    const hearing = requestHostOf(plan, phase, forget);
    if (hearing !== undefined) await this.#lifecycle.host(hearing);
    const host = hearing ?? kept?.host;
    if (host !== undefined) watchHosts(plan, host, this.#worker);
    const served = servedIngress(plan, resources, this.#inFlight, phase, extensions);
    if (hearing !== undefined) hearing.resources = sharedBus(plan, served.constants);
    this.#rooms = served.webSockets.rooms;
    if ((this.#worker?.number ?? 1) === 1) reportPersonalFields(plan);
    await requireCertificates(plan);
    await plan.tracing?.published;
    await this.#lifecycle.start();
    await this.#lifecycle.extend(extensions.all, () => this.#hostOf(served));
    if (this.#lifecycle.isStopping) return "";
    const context = { plan, served, connections: this.#connections, worker: this.#worker };
    const listeners = await openListeners(context);
    served.deadlines.start();
    this.#serving = { served, listeners, stopWatching: watchProcess(plan, () => this.#wasIdle(served)) };
    await this.#lifecycle.tellListening(urlOf(plan, listeners.address));
    await this.#lifecycle.announce(listeners.address);
    if (this.#worker !== undefined) tellReady();
    return listeners.address;
  }

  #wasIdle({ routes, webSockets }: ServedIngress): boolean {
    const running = routes.running + webSockets.live.size + (this.#plan.kept?.host.running ?? 0);
    return this.#inFlight.wasIdle() && running === 0;
  }

  #hostOf(served: ServedIngress): ExtensionHost {
    const inFlight = this.#inFlight;
    const connections = (): number => this.#connections.count;
    return extensionHost({
      plan: this.#plan,
      served,
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
    if (this.#worker !== undefined) tellStopping();
    const { limitMs } = this.#times;
    const began = performance.now();
    const endsAt = began + limitMs;
    // Hanging hooks must not use up the whole time.
    const withdrawnBy = Math.min(endsAt, began + Math.max(delayMs, CLOSING_MS));
    await Promise.all([this.#serving && pause(delayMs), this.#lifecycle.withdraw(withdrawnBy)]);
    // Waits for a running hook.
    await within(endsAt, this.#beginning);
    const drained = this.#serving === undefined || (await this.#drain(this.#serving, endsAt));
    await within(Math.max(endsAt, performance.now() + CLOSING_MS), this.#leaveRooms());
    const closedBy = Math.max(endsAt, performance.now() + CLOSING_MS);
    const flushMs = Math.min(FLUSH_MS, closedBy - performance.now());
    const flushed = this.#plan.tracing?.rest(pause(flushMs, undefined, { ref: false }));
    await Promise.all([this.#lifecycle.end(closedBy), flushed, reportLostMemory(this.#plan)]);
    this.#endStores();
    this.#unguard();
    return drained;
  }

  /** A start that failed may have joined the bus before its rooms were known here. */
  async #leaveRooms(): Promise<void> {
    await (this.#rooms === undefined ? this.#plan.rooms?.dispose() : this.#rooms.end());
  }

  async #drain({ served, listeners, stopWatching }: Serving, endsAt: number): Promise<boolean> {
    listeners.close();
    this.#inFlight.endsConnections = true;
    served.webSockets.close(1001, "The server stops");
    served.events.close();
    const runHost = this.#plan.kept?.host;
    const isIdle = (): boolean =>
      this.#inFlight.count === 0 && served.routes.running === 0 && (runHost?.running ?? 0) === 0;
    const answered = await until(isIdle, endsAt);
    if (answered) {
      await served.webSockets.over(endsAt);
      await until(
        () => this.#connections.count === 0,
        Math.min(endsAt, performance.now() + this.#times.idleMs),
      );
    }
    // An idle connection may have sent another request, and `close` of a WebSocket may have started.
    const drained = answered && (await until(isIdle, endsAt));
    // Set before connections close: the abort of a kept run would undo it then.
    if (!drained && runHost !== undefined) runHost.isOver = true;
    if (!drained) served.routes.reportCut(this.#inFlight.count, runHost?.running ?? 0, this.#times.limitMs);
    stopWatching();
    listeners.end();
    served.deadlines.stop();
    return drained;
  }
}

/** Starts the process watchers. Returns a function that stops them. */
function watchProcess(plan: IngressPlan, wasIdle: () => boolean): () => void {
  // Hashing 7 MB can wait for the first requests.
  const checkingBinary = setTimeout(() => warnOfUntestedBinary(plan), 1000).unref();
  const endLoopDelay = reportLoopDelay(plan.reporter, { wasIdle, isGuest: !plan.processGuards });
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
