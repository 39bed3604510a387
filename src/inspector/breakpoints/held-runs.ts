// Runs that wait before a node until somebody lets them go.

import type { Clock } from "#core/clock.js";
import type { TracedRun } from "#core/recorder.js";
import type { PausedRun } from "../api/breakpoints.js";

/** What ended a hold: an operator, its time, or the end of its run. */
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
  /** Told of each end. */
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
  /** Runs on their way to the next node, by number, and how long they will be held there. */
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

  /** How long a run that was stepped is held at the node that it comes to; undefined for others. */
  steppedMs(run: TracedRun): number | undefined {
    return this.#stepping.get(run.id);
  }

  /** Whether there is room for one more, or it has its place already. */
  hasRoomFor(run: TracedRun): boolean {
    const taken = this.#holds.size + this.#stepping.size;
    return taken < this.#options.maxHeld || this.#stepping.has(run.id);
  }

  /** Holds a run: what is answered is the input to go on with. */
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

  /** In the order in which they were held. */
  list(): readonly HeldRun[] {
    return [...this.#holds.values()];
  }

  /** Ends a hold; the run goes on with `input`. Answers for how many milliseconds it was held. */
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

  /** The run is over, held or on its way. */
  endRun(run: TracedRun): void {
    this.#stepping.delete(run.id);
    this.endWhere("gone", (held) => held.run === run);
  }

  endWhere(how: Ending, is: (held: HeldRun) => boolean): void {
    for (const held of this.list()) if (is(held)) this.end(held.shown.id, how);
  }

  /** Lets all go on. */
  endAll(): void {
    this.#stepping.clear();
    this.endWhere("resume", () => true);
  }
}
