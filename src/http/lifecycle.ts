// What stands beside requests, from the first hook to the last resource.
//
//   LC1. Hooks run one after another in the order of their declaration: those of onStart
//        before it listens, those of onReady after. A function that one answers undoes it.
//   LC2. What onReady set up is undone as soon as the server is to stop, and the rest once
//        nobody is served: hooks of onShutdown and what onStart set up, the last declared
//        first, then the resources, the last declared first.
//   LC3. Where a hook fails, what was declared before it is undone, and nothing behind it.
//   LC4. Extensions are started behind the hooks of onStart and stopped before what those
//        have begun is undone; that the server is to stop they are told first of all.

import type { AnyKey } from "#core/bus-key.js";
import type { Reporter } from "#core/reporter.js";
import type { Extension, ExtensionHost, StartedExtension } from "./extension.js";
import { startFailure } from "./start-failure.js";
import { UndoStack } from "./undo-stack.js";

type Resources = Readonly<Record<string, unknown>>;

export interface Hook {
  readonly kind: "onStart" | "onReady" | "onShutdown";
  /** Takes the values of the resources, whose type only the declaration knows. */
  readonly run: (resources: never, address: string) => unknown;
}

/** What `/ready` says. */
export type Phase = "starting" | "ready" | "draining";

export interface LifecyclePlan {
  readonly hooks: readonly Hook[];
  readonly resources: readonly AnyKey[];
  readonly reporter: Reporter;
}

export class Lifecycle {
  phase: Phase = "starting";
  readonly #plan: LifecyclePlan;
  #resources: Resources = {};
  readonly #begun: UndoStack;
  readonly #announced: UndoStack;
  readonly #extensions: { readonly name: string; readonly started: StartedExtension }[] = [];

  constructor(plan: LifecyclePlan) {
    this.#plan = plan;
    this.#begun = new UndoStack(this.#failed);
    this.#announced = new UndoStack(this.#failed);
  }

  /** From here on the resources are its own: `end` disposes of them, whatever happens in between. */
  own(resources: Resources): void {
    this.#resources = resources;
    for (const [name, value] of distinct(this.#plan.resources, resources)) {
      this.#begun.push(`the disposal of resource '${name}'`, () => dispose(value));
    }
  }

  get isStopping(): boolean {
    return this.phase === "draining";
  }

  /** Runs the hooks of onStart. Rejects with START_FAILED; ends early where the server is to stop. */
  async start(): Promise<void> {
    for (const hook of this.#plan.hooks) {
      if (this.isStopping) return;
      if (hook.kind === "onStart") await this.#run(hook, "", this.#begun);
      if (hook.kind === "onShutdown")
        this.#begun.push(nameOf(hook), () => hook.run(this.#resources as never, ""));
    }
  }

  /** Starts what lives with the server, behind the hooks of onStart (LC4). Rejects and ends early as `start` does. */
  async extend(extensions: readonly Extension[], host: () => ExtensionHost): Promise<void> {
    for (const { name, start } of extensions) {
      if (this.isStopping || start === undefined) continue;
      const started = await this.#call(`extension '${name}'`, () => start(host()));
      if (started === undefined) continue;
      this.#extensions.push({ name, started });
      this.#begun.push(`extension '${name}'`, () => started.stop?.());
    }
  }

  /** Tells them where the server listens. Rejects as `start` does. */
  async tellListening(url: string): Promise<void> {
    for (const { name, started } of this.#extensions)
      await this.#call(`'listening' of extension '${name}'`, () => started.listening?.(url));
  }

  /** Runs the hooks of onReady, and is ready. Rejects and ends early as `start` does. */
  async announce(address: string): Promise<void> {
    for (const hook of this.#plan.hooks) {
      if (this.isStopping) return;
      if (hook.kind === "onReady") await this.#run(hook, address, this.#announced);
    }
    if (!this.isStopping) this.phase = "ready";
  }

  /** Is ready no more, and undoes what onReady set up. Never rejects. */
  async withdraw(endsAt: number): Promise<void> {
    this.phase = "draining";
    for (const { name, started } of this.#extensions) {
      try {
        started.stopping?.();
      } catch (error) {
        this.#failed(`'stopping' of extension '${name}'`, error);
      }
    }
    await this.#announced.unwind(endsAt);
  }

  /** Undoes everything else: nobody is served any more. Never rejects. */
  async end(endsAt: number): Promise<void> {
    // A hook of onReady may have ended after the others were undone.
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

/** The resources that were given, in the order of their declaration; one under two names once. */
function distinct(keys: readonly AnyKey[], given: Resources): readonly (readonly [string, unknown])[] {
  const seen = new Set<unknown>();
  return keys.flatMap(({ name }) => {
    const value = given[name];
    if (seen.has(value)) return [];
    seen.add(value);
    return [[name, value] as const];
  });
}

/** As `await using` would. */
function dispose(value: unknown): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return undefined;
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<
    AsyncDisposable & Disposable
  >;
  return (later ?? now)?.call(value);
}
