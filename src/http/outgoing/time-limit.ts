import type { Clock } from "#core/clock.js";

/** A signal that fires when the run's does or when the time is up, whichever is first. */
export class TimeLimit {
  isOver = false;
  readonly #controller = new AbortController();
  readonly #run: AbortSignal;
  readonly #cancel: () => void;

  constructor(run: AbortSignal, ms: number, clock: Clock) {
    this.#run = run;
    this.#cancel = clock.after(ms, () => {
      this.isOver = true;
      this.#controller.abort();
    });
    if (run.aborted) this.#onAbort();
    else run.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Nobody waits any more. */
  end(): void {
    this.#cancel();
    this.#run.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#run.reason);
}
