// A lock of a run: acquired before the steps of its Axon, renewed, lost, released.
//
//   H1. The lease time counts from before the call to the provider: this process never believes
//       in a lease longer than the provider does.
//   H2. A renewal that fails is retried while there is time; one that is refused, or an expired
//       lease, aborts the run.
//   H3. The lock is released once, whatever the outcome. A release can fail; the outcome of the
//       run does not change.

import { fault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import { FencingToken, type LockLease } from "#core/ports/lock.js";
import type { Singleton } from "../definition/execution-mode.js";
import { guarded, pendingOf, settled } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import { RunControl } from "../run/run-control.js";
import type { RunLock } from "../run/run-duties.js";
import type { RunState } from "../run/run-state.js";

/** Renewals per lease time: two may fail. */
const RENEWALS = 3;

interface Holding {
  readonly axon: string;
  readonly mode: Singleton;
  readonly clock: Clock;
  readonly reporter: Reporter;
}

class HeldLock implements RunLock {
  readonly #holding: Holding;
  readonly #lease: LockLease;
  readonly #state: RunState;
  readonly #control: RunControl;
  readonly #outerToken: unknown;
  #until: number;
  #isOver = false;
  #isLost = false;
  #cancelTimer: () => void = () => {};

  /** `began` is the time before the call to the provider (H1). */
  constructor(holding: Holding, lease: LockLease, began: number, state: RunState) {
    this.#holding = holding;
    this.#lease = lease;
    this.#state = state;
    this.#until = began + holding.mode.ttlMs;
    state.control ??= new RunControl();
    this.#control = state.control;
    const slot = state.slotOf(FencingToken);
    this.#outerToken = state.values[slot];
    state.values[slot] = lease.token;
    // Between steps too: a step that blocks lets no timer fire.
    const { isDue } = this.#control;
    this.#control.isDue = () => isDue?.() === true || this.#isTimeUp();
    this.#wait();
  }

  /** Releases the lock (H3). Returns a promise if that takes time; the release may take no longer than the lease. */
  release(): Promise<void> | undefined {
    this.#isOver = true;
    this.#cancelTimer();
    if (this.#outerToken !== undefined)
      this.#state.values[this.#state.slotOf(FencingToken)] = this.#outerToken;
    const { mode } = this.#holding;
    const released = (answer: unknown): void => {
      if (answer !== true && !this.#isLost) this.#report("was lost before the run was over", undefined);
    };
    const failed = (error: unknown): void => this.#report("could not be given back", error);
    const given = settled(() => mode.provider.release(this.#lease), released, failed);
    return given instanceof Promise ? this.#inTime(given) : undefined;
  }

  /** The lease has then expired: the provider's answer is not awaited any longer. */
  #inTime(released: Promise<void>): Promise<void> {
    const { clock } = this.#holding;
    const leftMs = this.#until - clock.now();
    if (leftMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.after(leftMs, resolve);
      void released.finally(cancel).then(resolve);
    });
  }

  #wait(): void {
    const { clock, mode } = this.#holding;
    const ms = Math.min(mode.ttlMs / RENEWALS, this.#until - clock.now());
    this.#cancelTimer = clock.after(Math.max(0, ms), () => {
      if (this.#isTimeUp()) return;
      this.#renew();
      if (!this.#isOver && !this.#isLost) this.#wait();
    });
  }

  #renew(): void {
    const { clock, mode } = this.#holding;
    const began = clock.now();
    const renewed = (answer: unknown): void => {
      if (answer !== true) this.#lose("was not renewed: its provider says that it is no longer held");
      else this.#until = Math.max(this.#until, began + mode.ttlMs);
    };
    const failed = (error: unknown): void => {
      if (!this.#isOver) this.#report("could not be renewed", error);
    };
    void settled(() => mode.provider.renew(this.#lease, mode.ttlMs), renewed, failed);
  }

  #isTimeUp(): boolean {
    if (!this.#isOver && this.#holding.clock.now() >= this.#until) this.#lose("was not renewed in time");
    return this.#isLost && !this.#isOver;
  }

  /** No step may begin from now on (H2). */
  #lose(how: string): void {
    if (this.#isOver || this.#isLost) return;
    this.#isLost = true;
    this.#cancelTimer();
    this.#report(how, undefined);
    const reason = new Error(`The lock '${this.#lease.key}' ${how}`);
    // A stored run is not over: it is resumed once a host gets the lock.
    this.#state.duties.journal?.leave(fault(runtimeFault({ code: "RUN_ABORTED", reason })));
    this.#control.abort(reason);
  }

  #report(how: string, error: unknown): void {
    const { axon, reporter, mode } = this.#holding;
    reporter({ code: "LOCK_FAILED", message: `The lock '${mode.lockKey}' of '${axon}' ${how}`, axon, error });
  }
}

export const lockStep = (
  program: ProgramPort,
  axon: string,
  mode: Singleton,
  clock: Clock,
  node: string,
): Instruction["step"] => ({
  run: (input, { state }) => {
    const { trace } = state.duties;
    const holding = { axon, mode, clock, reporter: program.reporter };
    const ask = (): unknown => new Asking(holding, input, state).answer();
    return trace === null ? ask() : trace.wait("lock", node, ask);
  },
});

/** A run that acquires its lock. */
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

  /** The input once the lock is held, else a fault; or a promise of either. */
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

  /** Waits at most the lease time: a later answer is for an expired lease. */
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
      cancels.push(control.whenStopped(() => settle(control.abortion())));
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
    // Some clients return null for a missing value.
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

  /** Releases a lease that is no longer awaited. */
  #giveBack(answer: unknown): void {
    const { mode, axon, reporter } = this.#holding;
    if (!isLease(answer)) return;
    const failed = (error: unknown): void => {
      const message = `The lock '${mode.lockKey}' of '${axon}' came too late, and could not be given back`;
      reporter({ code: "LOCK_FAILED", message, axon, error });
    };
    guarded(() => mode.provider.release(answer), failed);
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
