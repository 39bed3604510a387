// How a run is aborted from outside, and whom its outcome is told if it has to
// wait. Made only for runs that can be: with a caller's signal, by an ingress, or
// when a step asks for `bus.signal`. `end` counts once. Steps never see a caller's own signal:
// a listener that throws would end the process (tamed-controller.ts).

import { type Fault, fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { tamedController } from "#core/bus/tamed-controller.js";

export class RunControl {
  aborted = false;
  ended = false;
  /** Whether the run waits for a promise right now, and no step of it is running. */
  waiting = false;
  #reason: unknown = undefined;
  #own: AbortController | null = null;
  #outer: AbortSignal | null = null;
  #tell: ((outcome: unknown) => void) | null = null;
  // An array: a run has few, and a Set costs 100 ns for each that comes and goes.
  #hooks: (() => void)[] | null = null;
  /** Whether its time is up, for a run that has a limit. Asked between steps, where no timer fires. */
  isDue: (() => boolean) | null = null;

  /** Whether no further step may begin. */
  get stopped(): boolean {
    if (!this.aborted && this.isDue?.() === true) this.abort(new Error("Its time is up"));
    return this.aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Calls `hook` when the run is aborted, at once if it is. Answers what takes it back. */
  whenAborted(hook: () => void): () => void {
    if (this.aborted) {
      hook();
      return () => {};
    }
    // A literal has room for what stands in it; `push` would make room for 17.
    if (this.#hooks === null) this.#hooks = [hook];
    else this.#hooks.push(hook);
    const hooks = this.#hooks;
    return () => {
      // Nearly always.
      if (hooks[hooks.length - 1] === hook) {
        hooks.pop();
        return;
      }
      const at = hooks.lastIndexOf(hook);
      if (at >= 0) hooks.splice(at, 1);
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
      if (this.aborted) this.#own.abort(this.#reason);
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

  /** The same, also once it has ended: then its signal says it, to whoever still makes what it answered. */
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
