import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";

export interface RoundsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly reporter: Reporter;
}

/** The repeated calls of a host to its stores. */
export class Rounds {
  readonly #of: RoundsOptions;
  readonly #cancels = new Set<() => void>();
  #hasEnded = false;
  /** What has failed, until it succeeds. */
  readonly #failing = new Set<unknown>();

  constructor(of: RoundsOptions) {
    this.#of = of;
  }

  /** True after a call has failed, until it succeeds. */
  get hasFailed(): boolean {
    return this.#failing.size > 0;
  }

  /** Repeats a call at varied intervals, each from the end of the last: spreads processes that started together. */
  every(ms: number, call: () => Promise<unknown>): void {
    const { clock, random } = this.#of;
    const cancel = clock.after(Math.ceil(ms * (0.75 + random() / 2)), () => {
      this.#cancels.delete(cancel);
      call()
        .then(
          () => {
            this.succeeded(call);
            this.succeeded(this);
          },
          (error: unknown) => this.failed(error, call),
        )
        .finally(() => {
          if (!this.#hasEnded) this.every(ms, call);
        });
    });
    this.#cancels.add(cancel);
  }

  succeeded(call: unknown): void {
    this.#failing.delete(call);
  }

  /**
   * Reports the first failure in a row: an unreachable store fails at each call. `call` is what has
   * failed; without it the next round that succeeds ends the row.
   */
  failed(error: unknown, call: unknown = this): void {
    const isFirst = this.#failing.size === 0;
    this.#failing.add(call);
    if (!isFirst) return;
    const message =
      "The store of runs cannot be asked: the lease of this process may end, and others resume its runs";
    this.#of.reporter({ code: "RUN_HOST_FAILED", message, error });
  }

  /** Reports that no thread extends the lease while the event loop is held up. */
  readonly unheld = (error: unknown): void => {
    const message =
      "The thread that extends the lease of this process failed: a step that computes for longer than a lease loses its runs";
    this.#of.reporter({ code: "RUN_HOST_FAILED", message, error });
  };

  end(): void {
    this.#hasEnded = true;
    for (const cancel of this.#cancels) cancel();
  }
}
