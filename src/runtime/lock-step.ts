// Stands before the steps of an Axon that runs once at a time, and takes its lock for
// the run, or for the part of one that the Axon is. Whoever ends that gives it back.

import type { Clock } from "#core/clock.js";
import type { LockLease } from "#core/lock.js";
import { fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import { pendingOf } from "./answers.js";
import type { Singleton } from "./execution-mode.js";
import { HeldLock, type Holding } from "./held-lock.js";
import type { Instruction } from "./instruction.js";
import type { Program } from "./program.js";
import { RunControl } from "./run-control.js";
import type { RunState } from "./run-state.js";

export const lockStep = (
  program: Program,
  axon: string,
  mode: Singleton,
  clock: Clock,
): Instruction["step"] => ({
  run: (input, { state }) => {
    const holding = { axon, mode, clock, reporter: program.reporter };
    return new Asking(holding, input, state).answer();
  },
});

class Asking {
  readonly #holding: Holding;
  readonly #input: unknown;
  readonly #state: RunState;
  readonly #began: number;

  constructor(holding: Holding, input: unknown, state: RunState) {
    this.#holding = holding;
    this.#input = input;
    this.#state = state;
    this.#began = holding.clock.now();
  }

  /** The input once the lock is held, else a fault; or a promise of it. */
  answer(): unknown {
    const { provider, lockKey, ttlMs } = this.#holding.mode;
    try {
      const answer = provider.acquire(lockKey, ttlMs);
      const pending = pendingOf(answer);
      return pending === undefined ? this.#settled(answer) : this.#later(pending);
    } catch (cause) {
      return this.#unavailable(cause);
    }
  }

  /** Waits as long as the lock would be held: what is answered after that is over already. */
  #later(pending: Promise<unknown>): Promise<unknown> {
    const { clock, mode } = this.#holding;
    this.#state.control ??= new RunControl();
    const { control } = this.#state;
    return new Promise((resolve) => {
      let isOver = false;
      const cancels: (() => void)[] = [];
      const settle = (answer: unknown): void => {
        isOver = true;
        for (const cancel of cancels) cancel();
        resolve(answer);
      };
      const timeUp = (): void =>
        settle(this.#unavailable(new Error(`No answer within ${mode.ttlMs} milliseconds`)));
      cancels.push(clock.after(mode.ttlMs, timeUp));
      cancels.push(control.whenAborted(() => settle(control.abortion())));
      pending.then(
        (answer) => {
          if (isOver) this.#giveBack(answer);
          else settle(this.#settled(answer));
        },
        (cause) => {
          if (!isOver) settle(this.#unavailable(cause));
        },
      );
    });
  }

  #settled(answer: unknown): unknown {
    const { axon, mode, clock } = this.#holding;
    const { lockKey } = mode;
    // Null is how many a client says that there is nothing.
    if (answer === undefined || answer === null)
      return fault(runtimeFault({ code: "LOCK_TAKEN", axon, lockKey }));
    if (!isLease(answer))
      return this.#unavailable(
        new TypeError("acquire() answered no lease with a whole number for its token"),
      );
    if (clock.now() >= this.#began + mode.ttlMs) {
      this.#giveBack(answer);
      return this.#unavailable(new Error(`No answer within ${mode.ttlMs} milliseconds`));
    }
    this.#state.due().lock = new HeldLock(this.#holding, answer, this.#began, this.#state);
    return this.#input;
  }

  /** A lease that nobody waits for any longer. */
  #giveBack(answer: unknown): void {
    const { mode, axon, reporter } = this.#holding;
    if (!isLease(answer)) return;
    const failed = (error: unknown): void => {
      const message = `The lock '${mode.lockKey}' of '${axon}' came too late, and could not be given back`;
      reporter({ code: "LOCK_FAILED", message, axon, error });
    };
    try {
      pendingOf(mode.provider.release(answer))?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #unavailable(cause: unknown): unknown {
    const { mode, axon, reporter } = this.#holding;
    const { lockKey } = mode;
    const message = `The lock '${lockKey}' of '${axon}' could not be asked for`;
    reporter({ code: "LOCK_FAILED", message, axon, error: cause });
    return fault(runtimeFault({ code: "LOCK_UNAVAILABLE", axon, lockKey, cause }));
  }
}

const isLease = (answer: unknown): answer is LockLease =>
  typeof answer === "object" && answer !== null && Number.isSafeInteger((answer as Partial<LockLease>).token);
