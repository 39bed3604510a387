// The process that starts the workers of an ingress. It serves nothing itself.

import { setTimeout as pause } from "node:timers/promises";

import { FrameworkError } from "#core/errors.js";
import { processStateOf } from "#runtime/run/process-state.js";
import { reserve } from "../../native/listen.js";
import type { IngressPlan } from "../../plan/ingress-plan.js";
import type { RouteDefinition } from "../../plan/route-definition.js";
import { axonsOf } from "../../plan/web-socket-definition.js";
import { formatHostPort } from "../../refusal/address.js";
import { composed } from "../../request/composition.js";
import { noRuns } from "../kept-runs.js";
import { type Given, Lifecycle } from "../lifecycle.js";
import { guardProcess } from "../process-guards.js";
import { type RunningServer, urlOf } from "../server.js";
import { RoomRelay } from "./room-relay.js";
import { WorkerProcess } from "./worker-process.js";

/** A worker that served for less than this counts as a failed start. */
const SHORT_LIFE_MS = 10_000;
const MAX_SHORT_LIVES = 5;
const FIRST_PAUSE_MS = 200;

/** Time beyond the shutdown limit for a worker's hooks and exit. */
const MARGIN_MS = 3000;

interface Slot {
  worker: WorkerProcess;
  shortLives: number;
}

let isSupervising = false;

/** Starts `count` workers. Resolves when all serve; rejects with the error of the first that cannot. */
export async function supervise(plan: IngressPlan, count: number, given: Given): Promise<RunningServer> {
  const [, program] = process.argv;
  if (program === undefined)
    throw invalid("Workers run the program's file once more, and this one has none: run a file");
  if (plan.address.kind === "unix")
    throw invalid(
      `Workers share a port, and cannot share ${plan.address.path}: bind host:port, or use workers(1)`,
    );
  if (isSupervising) throw invalid("One ingress of a process can have workers: give this one workers(1)");
  warnOfProcessState(plan, count);
  const { host, port } = await reserve(plan.address);
  const supervisor = new Supervisor(plan, { program, host, port, count }, given);
  await supervisor.begin();
  const address = formatHostPort(host, port);
  return {
    role: "supervisor",
    address,
    url: urlOf(plan, address),
    close: () => supervisor.close(),
    runs: noRuns,
    closed: supervisor.closed,
  };
}

interface Crew {
  readonly program: string;
  readonly host: string;
  readonly port: number;
  readonly count: number;
}

class Supervisor {
  readonly closed: Promise<boolean>;
  #tellClosed: (drained: boolean) => void = () => {};
  readonly #plan: IngressPlan;
  readonly #crew: Crew;
  readonly #slots = new Map<number, Slot>();
  readonly #resources: Lifecycle;
  readonly #rooms: RoomRelay<WorkerProcess>;
  #failStart: (error: Error) => void = () => {};
  readonly #unguard: () => void;
  readonly #killAll = (): void => {
    for (const { worker } of this.#slots.values()) worker.kill();
  };
  readonly #stopped = new AbortController();
  #hasBegun = false;
  #stopping: Promise<boolean> | undefined;

  constructor(plan: IngressPlan, crew: Crew, given: Given) {
    this.#plan = plan;
    this.#crew = crew;
    this.#rooms = new RoomRelay((message) => plan.reporter({ code: "ROOMS_FAILED", message }));
    this.#resources = new Lifecycle({ ...plan, hooks: [] });
    // Given resources are disposed of, although unused here. A function is not called in the supervisor.
    if (typeof given !== "function") this.#resources.own(given);
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
    const { closed } = this;
    const guarded = { close: () => this.close(), closed, reporter: plan.reporter };
    this.#unguard = plan.processGuards ? guardProcess(guarded) : () => {};
    process.on("exit", this.#killAll);
    isSupervising = true;
  }

  async begin(): Promise<void> {
    try {
      const failed = new Promise<never>((_, reject) => {
        this.#failStart = reject;
      });
      await Promise.race([this.#launchAll(), failed]);
      this.#hasBegun = true;
    } catch (error) {
      const interrupted = this.#stopping !== undefined;
      await this.close();
      if (!interrupted) throw error;
    }
    // As in a single process, `run` never settles after a signal.
    if (this.#stopping !== undefined) await new Promise(() => {});
  }

  async close(): Promise<void> {
    this.#stopping ??= this.#stop();
    this.#tellClosed(await this.#stopping);
  }

  async #launchAll(): Promise<void> {
    await this.#launch(1);
    if (this.#stopping !== undefined) return;
    const others = Array.from({ length: this.#crew.count - 1 }, (_, i) => i + 2);
    await Promise.all(others.map((number) => this.#launch(number)));
  }

  /** Resolves when the worker serves. */
  #launch(number: number): Promise<void> {
    const { program, ...mark } = this.#crew;
    const worker = new WorkerProcess(program, { ...mark, number });
    worker.onRoom = (message) => this.#rooms.relay(message, worker, this.#workers());
    const slot = this.#slots.get(number) ?? { worker, shortLives: 0 };
    slot.worker = worker;
    this.#slots.set(number, slot);
    void worker.ended.then(() => this.#replace(number, slot));
    return worker.ready;
  }

  *#workers(): Iterable<WorkerProcess> {
    for (const { worker } of this.#slots.values()) yield worker;
  }

  async #replace(number: number, slot: Slot): Promise<void> {
    if (this.#stopping !== undefined) return;
    const { how, servedMs } = await slot.worker.ended;
    if (!this.#hasBegun) {
      this.#failStart(
        new FrameworkError(
          "WORKER_FAILED",
          `Worker ${number} ended ${how} before all of them served: what it wrote says why`,
        ),
      );
      return;
    }
    slot.shortLives = servedMs < SHORT_LIFE_MS ? slot.shortLives + 1 : 0;
    if (slot.shortLives >= MAX_SHORT_LIVES) {
      await this.#giveUp(
        `Worker ${number} ended ${how}, for the ${MAX_SHORT_LIVES}th time soon after its start`,
      );
      return;
    }
    const pauseMs = slot.shortLives < 2 ? 0 : FIRST_PAUSE_MS * 2 ** (slot.shortLives - 2);
    const message = `Worker ${number} (process ${slot.worker.pid}) ended ${how}: it is started again${pauseMs > 0 ? ` in ${pauseMs} ms` : ""}`;
    this.#plan.reporter({ code: "WORKER_ENDED", message });
    await pause(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
    // A worker that cannot start ends and is handled here again.
    if (this.#stopping === undefined) this.#launch(number).catch(() => {});
  }

  async #giveUp(why: string): Promise<void> {
    this.#plan.reporter({ code: "WORKERS_GIVEN_UP", message: `${why}: the supervisor stops` });
    process.exitCode = 1;
    await this.close();
    if (this.#plan.processGuards) process.exit();
  }

  async #stop(): Promise<boolean> {
    this.#stopped.abort();
    const clean = await Promise.all(
      [...this.#slots].map(([number, { worker }]) => this.#end(number, worker)),
    );
    await this.#resources.end(performance.now() + MARGIN_MS);
    process.off("exit", this.#killAll);
    this.#unguard();
    isSupervising = false;
    return clean.every(Boolean);
  }

  /** Stops a worker. Resolves to true if no run was cut. */
  async #end(number: number, worker: WorkerProcess): Promise<boolean> {
    if (worker.hasEnded) return true;
    const limitMs = this.#plan.shutdownTimeoutMs + MARGIN_MS;
    const killing = setTimeout(() => {
      const message = `Worker ${number} (process ${worker.pid}) had not stopped after ${limitMs} ms: it is killed`;
      this.#plan.reporter({ code: "WORKER_KILLED", message });
      worker.kill();
    }, limitMs);
    worker.stop();
    const { isClean } = await worker.ended;
    clearTimeout(killing);
    return isClean;
  }
}

/** Warns that limits and locks in memory apply to each worker separately. */
function warnOfProcessState(plan: IngressPlan, count: number): void {
  const routes = plan.fallback === undefined ? plan.routes : [...plan.routes, plan.fallback];
  const kept = new Set(routes.flatMap((route) => [...stateOf(route, plan)]));
  if (kept.size === 0) return;
  const message = `Each of the ${count} workers has its own state: ${[...kept].join("; ")}. Keep it where all see it, or use workers(1)`;
  plan.reporter({ code: "STATE_PER_WORKER", message });
}

function stateOf(route: RouteDefinition, plan: IngressPlan): readonly string[] {
  const { webSocket } = route;
  const axons = [composed(route, plan), ...axonsOf(webSocket)];
  const kept = axons.flatMap((axon) => [...processStateOf(axon)]);
  if (webSocket === undefined) return kept;
  const reach = plan.rooms === undefined ? "the rooms of its connections" : plan.rooms.perProcess;
  return reach === undefined ? kept : [...kept, `'${route.pattern.text}' keeps ${reach}`];
}

const invalid = (message: string): FrameworkError => new FrameworkError("CONFIG_INVALID", message);
