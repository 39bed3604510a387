// Disposes of what was made for a run when it has ended, whatever its outcome (PV3).

import { type AnyLayer, layer } from "#core/layer.js";
import { isFault } from "#core/outcome.js";
import type { Reporter } from "#core/reporter.js";
import { pendingOf } from "#runtime/answers.js";
import { panicOf } from "#runtime/panic.js";
import type { RunBus } from "#runtime/run-bus.js";
import type { Exchange } from "./native/exchange.js";
import { reportIds } from "./report-ids.js";

/** How long one disposal is waited for. What hangs must not keep those behind it from theirs, nor the run's answer. */
export const DISPOSE_LIMIT_MS = 10_000;

/** Counts the runs for which something is made, is there, or is being disposed of: a stopping server waits for them. */
export interface DisposalCount {
  count: number;
}

/** Stands around circuits whose steps read what has to be disposed of. */
export const disposal = (axon: string, reporter: Reporter, unfinished: DisposalCount): AnyLayer =>
  layer({
    name: "dispose",
    run(bus, next) {
      const exchange = (bus as unknown as RunBus).state.request as Exchange;
      const disposals = new Disposals(failed, unfinished);
      exchange.own().disposals = disposals;
      const outcome = next();
      return outcome instanceof Promise
        ? outcome.then((settled) => disposals.end(settled))
        : disposals.end(outcome);

      function failed(error: unknown): unknown {
        const message = "What was provided to a run could not be disposed of";
        reporter({ code: "DISPOSE_FAILED", message, axon, error, ...reportIds(exchange) });
        return panicOf("dispose", error);
      }
    },
  });

/**
 * What has to be disposed of for one run. An aborted one ends while something may still be
 * made for it: that is disposed of as soon as it is there.
 */
export class Disposals {
  readonly #stack: ((outcome: unknown) => unknown)[] = [];
  /** Answers the fault that a failure is. */
  readonly #failed: (error: unknown) => unknown;
  readonly #unfinished: DisposalCount;
  /** The run, what is being made for it, and what is being disposed of late. */
  #open = 0;
  #hasEnded = false;
  #outcome: unknown;

  constructor(failed: (error: unknown) => unknown, unfinished: DisposalCount) {
    this.#failed = failed;
    this.#unfinished = unfinished;
    this.enter();
  }

  /** Something is being made for the run. */
  enter(): void {
    if (this.#open === 0) this.#unfinished.count += 1;
    this.#open += 1;
  }

  /** It is there, or will not be. */
  leave(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#unfinished.count -= 1;
  }

  push(dispose: (outcome: unknown) => unknown): void {
    this.#stack.push(dispose);
    if (!this.#hasEnded) return;
    this.enter();
    this.#leaveAfter(this.#disposed(this.#outcome));
  }

  /** The outcome, once all is disposed of; a fault where that failed and the run had not. */
  end(outcome: unknown): unknown {
    this.#hasEnded = true;
    this.#outcome = outcome;
    return this.#leaveAfter(this.#disposed(outcome));
  }

  #leaveAfter(ending: unknown): unknown {
    if (ending instanceof Promise) return ending.finally(() => this.leave());
    this.leave();
    return ending;
  }

  /** Never rejects. */
  #disposed(outcome: unknown): unknown {
    let ending = outcome;
    const fail = (error: unknown): void => {
      const fault = this.#failed(error);
      if (!isFault(ending)) ending = fault;
    };
    for (let dispose = this.#stack.pop(); dispose !== undefined; dispose = this.#stack.pop()) {
      try {
        const pending = pendingOf(dispose(ending));
        if (pending !== undefined)
          return inTime(pending)
            .catch(fail)
            .then(() => this.#disposed(ending));
      } catch (error) {
        fail(error);
      }
    }
    return ending;
  }
}

/** Settles as the promise does; rejects where that takes too long. */
function inTime(pending: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`It took longer than ${DISPOSE_LIMIT_MS} ms`));
    const timer = setTimeout(late, DISPOSE_LIMIT_MS).unref();
    pending.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
