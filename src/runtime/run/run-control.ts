// Aborts a run from outside, and delivers the outcome of a run that waits. Made only for runs
// that can be aborted: with a caller's signal, by an ingress, or when a step asks for
// `bus.signal`. Only the first call of `end` counts. Steps never see a caller's own signal: a
// listener that throws would end the process (tamed-controller.ts).

import { type Fault, fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { tamedController } from "#core/bus/tamed-controller.js";

export class RunControl {
  aborted = false;
  #isWarned = false;
  ended = false;
  halted = false;
  /** True if the run awaits a promise and none of its steps is running. */
  waiting = false;
  #reason: unknown = undefined;
  #own: AbortController | null = null;
  #outer: AbortSignal | null = null;
  #tell: ((outcome: unknown) => void) | null = null;
  // An array: a run has few hooks, and a Set costs 100 ns for each that is added and removed.
  #hooks: (() => void)[] | null = null;
  #halts: (() => void)[] | null = null;
  /** True if the run's time limit is over. Asked between steps, where no timer fires. */
  isDue: (() => boolean) | null = null;

  /** True if no further step may begin. */
  get stopped(): boolean {
    if (this.halted) return true;
    if (!this.aborted && this.isDue?.() === true) this.abort(new Error("Its time is up"));
    return this.aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Calls `hook` when the run is aborted, at once if it already is. Returns a function that removes the hook. */
  whenAborted(hook: () => void): () => void {
    if (this.aborted) {
      hook();
      return () => {};
    }
    this.#hooks = added(this.#hooks, hook);
    return removal(this.#hooks, hook);
  }

  /** As `whenAborted`, also when the run is halted: an abort may follow and calls `hook` again. */
  whenStopped(hook: () => void): () => void {
    const leave = this.whenAborted(hook);
    if (this.halted && !this.aborted) hook();
    this.#halts = added(this.#halts, hook);
    const stay = removal(this.#halts, hook);
    return () => {
      leave();
      stay();
    };
  }

  follow(signal: AbortSignal): void {
    this.#outer = signal;
    if (signal.aborted) this.abort(signal.reason);
    else signal.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  signal(): AbortSignal {
    if (this.#own === null) {
      this.#own = tamedController("A listener of bus.signal threw");
      if (this.aborted || this.halted || this.#isWarned) this.#own.abort(this.#reason);
    }
    return this.#own.signal;
  }

  /** Ends the run as RUN_ABORTED: at once if it waits, else before its next step. */
  abort(reason: unknown): void {
    if (this.aborted || this.ended) return;
    this.#signalAbort(reason);
    const hooks = this.#hooks ?? [];
    this.#hooks = null;
    for (const hook of [...hooks]) hook();
    if (this.waiting) this.end(this.abortion());
  }

  /** Fires the signal, and begins no further step. A step at work may settle: what it did is undone with the rest. */
  halt(reason: unknown): void {
    if (this.aborted || this.halted || this.ended) return;
    this.halted = true;
    this.#reason = reason;
    this.#own?.abort(reason);
    for (const hook of [...(this.#halts ?? [])]) hook();
  }

  /** Fires the signal only. */
  warn(reason: unknown): void {
    if (this.aborted || this.ended) return;
    this.#isWarned = true;
    this.#reason = reason;
    this.#own?.abort(reason);
  }

  /** As `abort`, also after the run has ended: its signal then stops a step that still produces the response. */
  abandon(reason: unknown): void {
    if (!this.ended) this.abort(reason);
    else if (!this.aborted) this.#signalAbort(reason);
  }

  #signalAbort(reason: unknown): void {
    this.aborted = true;
    this.#reason = reason;
    this.#own?.abort(reason);
  }

  abortion(): Fault<unknown> {
    return fault(runtimeFault({ code: "RUN_ABORTED", reason: this.#reason }));
  }

  whenEnded(tell: (outcome: unknown) => void): void {
    this.#tell = tell;
  }

  end(outcome: unknown): void {
    if (this.ended) return;
    this.ended = true;
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
    this.#tell?.(outcome);
  }

  readonly #onOuterAbort = (): void => this.abort(this.#outer?.reason);
}

/** A literal has room for its elements; `push` on an empty list would reserve room for 17. */
function added(hooks: (() => void)[] | null, hook: () => void): (() => void)[] {
  if (hooks === null) return [hook];
  hooks.push(hook);
  return hooks;
}

const removal = (hooks: (() => void)[], hook: () => void) => (): void => {
  // The usual case.
  if (hooks[hooks.length - 1] === hook) {
    hooks.pop();
    return;
  }
  const at = hooks.lastIndexOf(hook);
  if (at >= 0) hooks.splice(at, 1);
};
