// Disposes of provided values at the end of a run, whatever its outcome.

import { isFault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { type AnyLayer, layer } from "#core/flow/layer.js";
import { panicOf, pendingOf } from "#runtime/run/answers.js";
import type { RunBus } from "#runtime/run/run-state.js";
import type { Exchange } from "../exchange/exchange.js";
import type { RunDisposals } from "../exchange/particulars.js";
import { inTime } from "../refusal/timeout.js";

/** A hanging disposal must not block others, or the response. */
export const DISPOSE_LIMIT_MS = 10_000;

/** Number of runs with pending disposals. A stopping server waits for them. */
export interface DisposalCount {
  count: number;
}

/** A layer around circuits that read values with a disposal. */
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
        reporter({ code: "DISPOSE_FAILED", message, axon, error, ...exchange.reportIds });
        return panicOf("dispose", error);
      }
    },
  });

/** The disposals of one run. Values that are still being made when a run is aborted are disposed of later. */
class Disposals implements RunDisposals {
  readonly #stack: ((outcome: unknown) => unknown)[] = [];
  /** Reports a failed disposal. Returns its fault. */
  readonly #failed: (error: unknown) => unknown;
  readonly #unfinished: DisposalCount;
  /** Number of open parts: the run, pending values and late disposals. */
  #open = 0;
  #hasEnded = false;
  #outcome: unknown;

  constructor(failed: (error: unknown) => unknown, unfinished: DisposalCount) {
    this.#failed = failed;
    this.#unfinished = unfinished;
    this.enter();
  }

  enter(): void {
    if (this.#open === 0) this.#unfinished.count += 1;
    this.#open += 1;
  }

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

  /** Returns the outcome after the disposals. If one fails and the run did not, returns a fault. */
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
          return inTime(pending, DISPOSE_LIMIT_MS, `It took longer than ${DISPOSE_LIMIT_MS} ms`, false)
            .catch(fail)
            .then(() => this.#disposed(ending));
      } catch (error) {
        fail(error);
      }
    }
    return ending;
  }
}
