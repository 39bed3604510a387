// Hooks, extensions and resources. onStart hooks run in order before the server listens, then the
// extensions start, and onReady hooks run after it listens. A stopping server first notifies the
// extensions and undoes onReady. After the last request it stops the extensions, undoes the rest in
// reverse order, and disposes of resources. A failing hook undoes the earlier ones.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { joinPool } from "#pool/process-pool.js";
import type { RunHost } from "#runtime/hosting/run-host.js";
import type { Extension, ExtensionHost, StartedExtension } from "../plan/extension.js";
import type { Hook, IngressPlan, Phase } from "../plan/ingress-plan.js";
import { inTime } from "../refusal/timeout.js";
import { sweepHourly } from "./store-sweep.js";

type ServedHost = Pick<RunHost, "begin" | "stop" | "leave">;
type Resources = Readonly<Record<string, unknown>>;

type LifecyclePlan = Pick<
  IngressPlan,
  "audit" | "hooks" | "pool" | "resources" | "reporter" | "stores" | "workers"
>;

export class Lifecycle {
  phase: Phase = "starting";
  readonly #plan: LifecyclePlan;
  #resources: Resources = {};
  readonly #begun: UndoStack;
  readonly #hosts: ServedHost[] = [];
  readonly #announced: UndoStack;
  readonly #extensions: { readonly name: string; readonly started: StartedExtension }[] = [];

  constructor(plan: LifecyclePlan) {
    this.#plan = plan;
    this.#begun = new UndoStack(this.#failed);
    this.#announced = new UndoStack(this.#failed);
  }

  /** Registers resources for disposal by `end`; the worker pool, the audit log and the stores are last. Throws CONFIG_CONFLICT. */
  own(resources: Resources): void {
    this.#resources = resources;
    const { stores, audit, pool, workers } = this.#plan;
    if (stores !== undefined) this.#begun.push("closing the stores", stores.close);
    if (audit !== undefined && audit !== stores?.audit)
      this.#begun.push("closing the audit log", audit.close);
    this.#begun.push("closing the worker pool", joinPool(pool, workers));
    for (const [name, value] of distinct(this.#plan.resources, resources)) {
      this.#begun.push(`the disposal of resource '${name}'`, () => dispose(value));
    }
  }

  /** Rejects with the error of the stores, which names the database and the remedy. */
  async openStores(): Promise<void> {
    const { stores, reporter } = this.#plan;
    await stores?.open();
    // Not awaited: it may read many events.
    void this.#plan.audit?.begin?.();
    for (const message of stores?.warnings?.() ?? []) reporter({ code: "STORE_UNSAFE", message });
    if (stores !== undefined) this.#begun.push("the sweep of the stores", sweepHourly(stores));
  }

  /** Starts the lease of kept runs, or of a process that hears requests. The host takes no further runs after the shutdown starts, and ends after the last one. */
  async host(runs: ServedHost): Promise<void> {
    await runs.begin();
    this.#hosts.push(runs);
    this.#begun.push("the lease of kept runs", () => runs.leave());
  }

  get isStopping(): boolean {
    return this.phase === "draining";
  }

  /** Runs onStart. Rejects with START_FAILED. Returns early if the shutdown starts. */
  async start(): Promise<void> {
    for (const hook of this.#plan.hooks) {
      if (this.isStopping) return;
      if (hook.kind === "onStart") await this.#run(hook, "", this.#begun);
      if (hook.kind === "onShutdown")
        this.#begun.push(nameOf(hook), () => hook.run(this.#resources as never, ""));
    }
  }

  /** Starts extensions. Rejects and returns early like `start`. */
  async extend(extensions: readonly Extension[], host: () => ExtensionHost): Promise<void> {
    for (const { name, start } of extensions) {
      if (this.isStopping || start === undefined) continue;
      const started = await this.#call(`extension '${name}'`, () => start(host()));
      if (started === undefined) continue;
      this.#extensions.push({ name, started });
      this.#begun.push(`extension '${name}'`, () => started.stop?.());
    }
  }

  /** Rejects like `start`. */
  async tellListening(url: string): Promise<void> {
    for (const { name, started } of this.#extensions)
      await this.#call(`'listening' of extension '${name}'`, () => started.listening?.(url));
  }

  /** Runs onReady. Rejects and returns early like `start`. */
  async announce(address: string): Promise<void> {
    for (const hook of this.#plan.hooks) {
      if (this.isStopping) return;
      if (hook.kind === "onReady") await this.#run(hook, address, this.#announced);
    }
    if (!this.isStopping) this.phase = "ready";
  }

  /** Undoes onReady. Never rejects. */
  async withdraw(endsAt: number): Promise<void> {
    this.phase = "draining";
    for (const host of this.#hosts) host.stop();
    for (const { name, started } of this.#extensions) {
      try {
        started.stopping?.();
      } catch (error) {
        this.#failed(`'stopping' of extension '${name}'`, error);
      }
    }
    await this.#announced.unwind(endsAt);
  }

  /** Undoes everything else. Never rejects. */
  async end(endsAt: number): Promise<void> {
    // A hook of onReady may have ended meanwhile.
    await this.#announced.unwind(endsAt);
    await this.#begun.unwind(endsAt);
  }

  readonly #failed = (name: string, error: unknown): void => {
    const message = `While the server stopped, ${name} failed`;
    this.#plan.reporter({ code: "SHUTDOWN_FAILED", message, error });
  };

  async #run(hook: Hook, address: string, undoes: UndoStack): Promise<void> {
    const undo = await this.#call(nameOf(hook), () => hook.run(this.#resources as never, address));
    if (typeof undo === "function") undoes.push(`what undoes ${nameOf(hook)}`, () => undo());
  }

  async #call<T>(name: string, call: () => T): Promise<Awaited<T>> {
    try {
      return await call();
    } catch (cause) {
      throw startFailure(`${name} failed`, cause);
    }
  }
}

const nameOf = ({ kind, run }: Hook): string =>
  run.name === "" ? `a hook of ${kind}` : `${kind} '${run.name}'`;

/** Resources in the order of declaration; a value with two names is listed once. */
function distinct(keys: readonly AnyKey[], given: Resources): readonly (readonly [string, unknown])[] {
  const seen = new Set<unknown>();
  return keys.flatMap(({ name }) => {
    const value = given[name];
    if (seen.has(value)) return [];
    seen.add(value);
    return [[name, value] as const];
  });
}

function dispose(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<
    AsyncDisposable & Disposable
  >;
  return (later ?? now)?.call(value);
}

/** Quotes messages of Error objects only: other values may hold secrets. */
const startFailure = (what: string, cause: unknown): FrameworkError =>
  new FrameworkError("START_FAILED", `${what}: ${cause instanceof Error ? cause.message : "see the cause"}`, {
    cause,
  });

export type Undo = () => unknown;

/** Undo functions, run in reverse order. */
export class UndoStack {
  readonly #entries: { readonly name: string; readonly undo: Undo }[] = [];
  readonly #failed: (name: string, error: unknown) => void;

  /** Calls `failed` for entries that throw, reject or time out. */
  constructor(failed: (name: string, error: unknown) => void) {
    this.#failed = failed;
  }

  push(name: string, undo: Undo): void {
    this.#entries.push({ name, undo });
  }

  /**
   * Runs all entries in reverse order until `endsAt` (of `performance.now()`). Each is awaited for
   * half of the remaining time, the last one for all of it. Never rejects.
   */
  async unwind(endsAt: number): Promise<void> {
    for (let entry = this.#entries.pop(); entry !== undefined; entry = this.#entries.pop()) {
      const left = Math.max(0, endsAt - performance.now());
      try {
        const ms = this.#entries.length === 0 ? left : left / 2;
        const late = `It took longer than its part of stopping, ${Math.round(ms)} ms`;
        await inTime(Promise.resolve(entry.undo()), ms, late);
      } catch (error) {
        this.#failed(entry.name, error);
      }
    }
  }
}

type Values = Readonly<Record<string, unknown>>;

/** The resources, or a function that makes them in a serving process. */
export type Given = Values | (() => Values | Promise<Values>);

/** Resolves to the resources. Rejects with START_FAILED. */
export async function made(given: Given): Promise<Values> {
  if (typeof given !== "function") return given;
  try {
    return (await given()) ?? {};
  } catch (cause) {
    throw startFailure("The resources could not be made", cause);
  }
}
