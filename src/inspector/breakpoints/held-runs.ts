// Runs that are held before a node. Every hold ends, once: by an operator, its time, with its
// run, or with all others. At most `maxHeld` runs are held; one that was stepped keeps its place.

import type { Clock } from "#core/clock.js";
import type { TracedRun } from "#core/timeline/recorder.js";
import type { PausedRun } from "../api/breakpoints.js";

export type Ending = "resume" | "step" | "abort" | "time" | "gone";

export interface HeldRun {
  readonly run: TracedRun;
  readonly node: string;
  readonly input: unknown;
  readonly holdMs: number;
  readonly shown: PausedRun;
}

export interface HeldRunsOptions {
  readonly maxHeld: number;
  readonly clock: Clock;
  /** Called at the end of each hold. */
  readonly ended: (held: HeldRun, how: Ending) => void;
}

interface Hold extends HeldRun {
  readonly heldAt: number;
  readonly goOn: (input: unknown) => void;
  readonly cancelTimer: () => void;
}

export class HeldRuns {
  readonly #options: HeldRunsOptions;
  readonly #holds = new Map<string, Hold>();
  /** How long runs that step will be held at their next node, by their numbers. */
  readonly #stepping = new Map<number, number>();

  constructor(options: HeldRunsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#holds.size;
  }

  get isStepping(): boolean {
    return this.#stepping.size > 0;
  }

  /** How long a run that was stepped is held at its next node; undefined for other runs. */
  steppedMs(run: TracedRun): number | undefined {
    return this.#stepping.get(run.id);
  }

  hasRoomFor(run: TracedRun): boolean {
    const taken = this.#holds.size + this.#stepping.size;
    return taken < this.#options.maxHeld || this.#stepping.has(run.id);
  }

  /** Resolves to the input to continue with. */
  hold(held: HeldRun): Promise<unknown> {
    const { clock } = this.#options;
    const { id } = held.shown;
    this.#stepping.delete(held.run.id);
    return new Promise((goOn) => {
      const cancelTimer = clock.after(held.holdMs, () => this.end(id, "time"));
      this.#holds.set(id, { ...held, heldAt: clock.now(), goOn, cancelTimer });
    });
  }

  get(id: string): HeldRun | undefined {
    return this.#holds.get(id);
  }

  holds(run: TracedRun): boolean {
    return this.#holds.size > 0 && this.list().some((held) => held.run === run);
  }

  /** The oldest hold first. */
  list(): readonly HeldRun[] {
    return [...this.#holds.values()];
  }

  /** Ends a hold; the run continues with `input`. Returns the milliseconds that it was held. */
  end(id: string, how: Ending, input?: { readonly edited: unknown }): number | undefined {
    const hold = this.#holds.get(id);
    if (hold === undefined) return undefined;
    this.#holds.delete(id);
    hold.cancelTimer();
    if (how === "step") this.#stepping.set(hold.run.id, hold.holdMs);
    if (how === "abort") hold.run.abort(new Error("An operator of the Inspector aborted it"));
    hold.goOn(input === undefined ? hold.input : input.edited);
    this.#options.ended(hold, how);
    return this.#options.clock.now() - hold.heldAt;
  }

  /** The run has ended. */
  endRun(run: TracedRun): void {
    this.#stepping.delete(run.id);
    this.endWhere("gone", (held) => held.run === run);
  }

  endWhere(how: Ending, is: (held: HeldRun) => boolean): void {
    for (const held of this.list()) if (is(held)) this.end(held.shown.id, how);
  }

  /** Resumes all. */
  endAll(): void {
    this.#stepping.clear();
    this.endWhere("resume", () => true);
  }
}
