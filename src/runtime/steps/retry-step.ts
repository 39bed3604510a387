// Retries a step after a fault: one loop for every kind of step. A fault that an inner retry has
// given up on is final: retries do not multiply.

import { copyOfFault, type Fault, isEmit, isFault } from "#core/bus/outcome.js";
import type { Clock } from "#core/clock.js";
import type { RetryPolicy } from "../definition/retry-policy.js";
import { emitting, faultIn, panicOf, pendingOf } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import { RunControl } from "../run/run-control.js";
import type { RunBus, RunState } from "../run/run-state.js";
import { TracedBus } from "../trace/traced-bus.js";

// Only copies: a prebuilt fault may be returned by many runs.
const givenUp = new WeakSet<Fault<unknown>>();

export interface Retried {
  readonly name: string;
  readonly node: string;
  readonly step: Instruction["step"];
  readonly policy: RetryPolicy<string>;
  readonly clock: Clock;
}

export const retryStep = (of: Retried): Instruction["step"] => ({
  run: (input, bus) => new Tries(of, input, bus).run(),
});

class Tries {
  readonly #of: Retried;
  readonly #input: unknown;
  readonly #bus: RunBus;
  /** Stored here: when its run is over, the Bus has another state, which is never aborted. */
  readonly #state: RunState;
  readonly #began: number;

  constructor(of: Retried, input: unknown, bus: RunBus) {
    this.#of = of;
    this.#input = input;
    this.#bus = bus;
    this.#state = bus.state;
    this.#began = of.clock.now();
  }

  /** Tries until an answer is final. Synchronous unless a try is pending or a delay is due. */
  run(): unknown {
    let answer = this.#try(1);
    for (let n = 1; ; n += 1) {
      const pending = pendingOf(answer);
      if (pending !== undefined) return this.#goOn(n, pending);
      const delayMs = this.#delayAfter(n, answer);
      if (delayMs === undefined) return final(answer);
      answer = this.#tryAfter(n + 1, delayMs);
    }
  }

  /**
   * The same from the `n`th try on, asynchronously. One async function: nested promises of earlier
   * tries would all be retained until the end.
   */
  async #goOn(n: number, pending: Promise<unknown>): Promise<unknown> {
    let answer: unknown = pending;
    for (let at = n; ; at += 1) {
      const settled = await this.#settled(answer);
      const delayMs = this.#delayAfter(at, settled);
      if (delayMs === undefined) return final(settled);
      answer = this.#tryAfter(at + 1, delayMs);
    }
  }

  #tryAfter(attempt: number, delayMs: number): unknown {
    return delayMs > 0 ? this.#tryLater(attempt, delayMs) : this.#try(attempt);
  }

  async #tryLater(attempt: number, delayMs: number): Promise<unknown> {
    await waited(this.#state, delayMs, this.#of.clock);
    const { control } = this.#state;
    return control?.stopped === true ? control.abortion() : this.#settled(this.#try(attempt));
  }

  #settled(answer: unknown): unknown {
    return pendingOf(answer)?.catch((cause) => panicOf(this.#of.name, cause)) ?? answer;
  }

  #try(attempt: number): unknown {
    const { step, name } = this.#of;
    try {
      if (attempt === 1) return step.run(this.#input, this.#bus);
      return TracedBus.tried(this.#bus, attempt, (bus) => step.run(this.#input, bus));
    } catch (cause) {
      return panicOf(name, cause);
    }
  }

  /** Delay before the next try, in milliseconds; undefined if there is none. */
  #delayAfter(at: number, answer: unknown): number | undefined {
    const failed = faultIn(answer);
    if (failed === undefined || givenUp.has(failed) || this.#state.control?.stopped === true)
      return undefined;
    const { policy, clock, node } = this.#of;
    const delay_ms = policy.delayBefore(at, failed.error, clock.now() - this.#began);
    if (delay_ms !== undefined) {
      this.#state.duties.trace?.tell({ kind: "node_retry", node, attempt: at, delay_ms });
      TracedBus.failed(this.#bus, at, delay_ms, failed.error);
    }
    return delay_ms;
  }
}

function final(answer: unknown): unknown {
  if (isEmit(answer)) return faultIn(answer) === undefined ? answer : emitting(answer, final(answer.value));
  if (!isFault(answer) || givenUp.has(answer)) return answer;
  const last = copyOfFault(answer);
  givenUp.add(last);
  return last;
}

/** Resolves after `delayMs`, or when the run is aborted. */
function waited(state: RunState, delayMs: number, clock: Clock): Promise<void> {
  state.control ??= new RunControl();
  const { control } = state;
  return new Promise((resolve) => {
    const cancel = clock.after(delayMs, () => {
      leave();
      resolve();
    });
    const leave = control.whenStopped(() => {
      cancel();
      resolve();
    });
  });
}
