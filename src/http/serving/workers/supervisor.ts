// The process that starts the workers of an ingress. It serves nothing itself.

import { setTimeout as pause } from "node:timers/promises";

import { FrameworkError } from "#core/errors.js";
import { planState } from "../../description/plan-state.js";
import { usingStores } from "../../description/used-stores.js";
import { reserve } from "../../native/listen.js";
import type { WorkerCrashes } from "../../plan/extension.js";
import type { IngressPlan } from "../../plan/ingress-plan.js";
import { formatHostPort } from "../../refusal/address.js";
import { noRuns } from "../kept-runs.js";
import { type Given, Lifecycle } from "../lifecycle.js";
import { guardProcess } from "../process-guards.js";
import { type RunningServer, urlOf } from "../server.js";
import { crashLoop, isShortLife, pauseMs, withCrash } from "./crashes.js";
import { RoomRelay } from "./room-relay.js";
import { type Ending, WorkerProcess } from "./worker-process.js";

/** Crash loops are reported at this interval. */
const CRASHES_EVERY_MS = 60_000;

/** Time beyond the shutdown limit for a worker's hooks and exit. */
const MARGIN_MS = 3000;

/** Workers of one number, one after the other. */
interface Slot {
  readonly number: number;
  shortLives: number;
  /** Ends the pause before the next worker; undefined if there is none. */
  wake: (() => void) | undefined;
}

let isSupervising = false;

/**
 * Starts `count` workers, the first one alone. Rejects with its error if it cannot start. Resolves
 * when each of the others serves or has ended, which starts it again.
 */
export async function supervise(plan: IngressPlan, count: number, given: Given): Promise<RunningServer> {
  const [, program] = process.argv;
  if (program === undefined)
    throw invalid("Workers run the program's file once more, and this one has none: run a file");
  if (plan.address.kind === "unix")
    throw invalid(
      `Workers share a port, and cannot share ${plan.address.path}: bind host:port, or use workers(1)`,
    );
  if (isSupervising) throw invalid("One ingress of a process can have workers: give this one workers(1)");
  usingStores(plan, () => warnOfProcessState(plan, count));
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
  readonly #slots: readonly Slot[];
  /** The processes that have not ended, with their numbers. */
  readonly #workers = new Map<WorkerProcess, number>();
  readonly #resources: Lifecycle;
  readonly #rooms: RoomRelay<WorkerProcess>;
  #failStart: (error: Error) => void = () => {};
  readonly #unguard: () => void;
  readonly #killAll = (): void => {
    for (const worker of this.#workers.keys()) worker.kill();
  };
  readonly #stopped = new AbortController();
  #crashes: WorkerCrashes;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** True once a worker served. */
  #hasServed = false;
  #stopping: Promise<boolean> | undefined;

  constructor(plan: IngressPlan, crew: Crew, given: Given) {
    this.#plan = plan;
    this.#crew = crew;
    this.#slots = Array.from({ length: crew.count }, (_, i) => ({
      ...{ number: i + 1, shortLives: 0, wake: undefined },
    }));
    this.#crashes = { totals: this.#slots.map(() => 0), at: [], last: "" };
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
    const [first, ...others] = this.#slots as [Slot, ...Slot[]];
    await this.#launch(first).ready;
    if (this.#stopping !== undefined) return;
    const launched = others.map((slot) => this.#launch(slot));
    await Promise.all(launched.map(({ ready, ended }) => Promise.race([ready.catch(() => ended), ended])));
  }

  #launch(slot: Slot): WorkerProcess {
    const { number } = slot;
    const { program, ...mark } = this.#crew;
    const worker = new WorkerProcess(program, { ...mark, number });
    this.#workers.set(worker, number);
    void worker.ended.then(() => this.#workers.delete(worker));
    worker.onRoom = (message) => this.#rooms.relay(message, worker, this.#workers.keys());
    worker.ready.then(
      () => {
        this.#hasServed = true;
        if (this.#crashes.at.length > 0) worker.tellCrashes(this.#crashes);
      },
      () => {},
    );
    void this.#replace(slot, worker);
    return worker;
  }

  /** Starts the next worker of the slot when this one begins to stop by itself, or ends. */
  async #replace(slot: Slot, worker: Pick<WorkerProcess, "ended" | "left" | "pid">): Promise<void> {
    // An extension of the first worker, the Inspector, has a port of its own.
    const life = await (slot.number === 1 && this.#plan.extensions.length > 0 ? worker.ended : worker.left);
    if (this.#stopping !== undefined) return;
    if (!this.#hasServed) {
      const { how } = await worker.ended;
      this.#failStart(
        new FrameworkError(
          "WORKER_FAILED",
          `Worker ${slot.number} ended ${how} before any of them served: what it wrote says why`,
        ),
      );
      return;
    }
    slot.shortLives = isShortLife(life) ? slot.shortLives + 1 : 0;
    const runsAlone = [...this.#workers.keys()].every(({ hasLeft }) => hasLeft);
    const waitMs = pauseMs(slot.shortLives, runsAlone);
    void worker.ended.then((ending) => this.#report(slot.number, worker.pid, ending, waitMs));
    // Nothing serves: another worker need not wait any longer either.
    if (runsAlone) this.#slots.find(({ wake }) => wake !== undefined)?.wake?.();
    await this.#pause(slot, waitMs);
    if (this.#stopping !== undefined) return;
    try {
      this.#launch(slot);
    } catch (error) {
      // Node.js throws some errors of the system, such as ENOMEM.
      const how = `because of ${(error as Error).message}`;
      const ended = Promise.resolve({ how, isClean: false, isAsked: false, servedMs: 0 });
      void this.#replace(slot, { ended, left: ended, pid: undefined });
    }
  }

  async #pause(slot: Slot, ms: number): Promise<void> {
    const awake = new AbortController();
    slot.wake = () => awake.abort();
    const signal = AbortSignal.any([this.#stopped.signal, awake.signal]);
    await pause(ms, undefined, { signal }).catch(() => {});
    slot.wake = undefined;
  }

  /** Reports each end, and of a crash loop one line a minute. */
  #report(number: number, pid: number | undefined, ending: Ending, waitMs: number): void {
    if (this.#stopping !== undefined) return;
    const again = `it is started again${waitMs > 0 ? ` in ${waitMs} ms` : ""}`;
    const crashes = withCrash(this.#crashes, number, ending, Date.now());
    if (crashes !== undefined) {
      this.#crashes = crashes;
      for (const worker of this.#workers.keys()) if (worker.serves) worker.tellCrashes(crashes);
      const loop = crashLoop(crashes, Date.now());
      if (loop !== undefined) {
        const now = performance.now();
        if (now - this.#reportedAt < CRASHES_EVERY_MS) return;
        this.#reportedAt = now;
        this.#plan.reporter({ code: "WORKERS_CRASHING", message: `${loop}: ${again}` });
        return;
      }
    }
    const message = `Worker ${number} (process ${pid}) ended ${ending.how}: ${again}`;
    this.#plan.reporter({ code: "WORKER_ENDED", message });
  }

  async #stop(): Promise<boolean> {
    this.#stopped.abort();
    const clean = await Promise.all([...this.#workers].map(([worker, number]) => this.#end(number, worker)));
    await this.#resources.end(performance.now() + MARGIN_MS);
    process.off("exit", this.#killAll);
    this.#unguard();
    isSupervising = false;
    return clean.every(Boolean);
  }

  /** Stops a worker. Resolves to true if no run was cut. */
  async #end(number: number, worker: WorkerProcess): Promise<boolean> {
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
  const kept = planState(plan, "workers");
  if (kept.size === 0) return;
  const message = `Each of the ${count} workers has its own state: ${[...kept].join("; ")}. Give the ingress stores that all see, .stores(openStores({ sql, redis })), or use workers(1)`;
  plan.reporter({ code: "STATE_PER_WORKER", message });
}

const invalid = (message: string): FrameworkError => new FrameworkError("CONFIG_INVALID", message);
