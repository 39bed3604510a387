import { fault } from "#core/outcome.js";
import { type RuntimeFault, runtimeFault } from "#core/runtime-fault.js";
import { outcomeOf, type TaggedResult } from "./tagged-result.js";

/** What a thread is sent (entry.js). */
export interface Task {
  /** The module's URL. */
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
  /** What the step reads of the Bus, by the names of the keys; undefined for none. */
  readonly read: unknown;
  /** Whether the ArrayBuffers of the answer are handed over. */
  readonly moves: boolean;
}

export interface JobOptions {
  readonly step: string;
  readonly task: Task;
  readonly transfer: readonly unknown[];
  /** Of the run. */
  readonly signal: AbortSignal;
}

/**
 * One call of a worker's function. To piscina it is the signal of its task: ending a job that runs
 * ends the thread, ending one that waits takes it out of the queue.
 */
export class Job {
  readonly step: string;
  readonly task: Task;
  readonly transfer: readonly unknown[];
  /** Settles once: with the function's answer, or with why there is none. */
  readonly outcome: Promise<unknown>;
  /** By `performance.now()`; 0 while the job waits. */
  startedAt = 0;
  aborted = false;
  #settle: { readonly resolve: (outcome: unknown) => void; readonly reject: (cause: unknown) => void };
  #terminate: (() => void) | undefined;
  readonly #leave: () => void;

  /** `ended` is called when the job ends before its answer, of whatever reason. */
  constructor({ step, task, transfer, signal }: JobOptions, ended: (job: Job) => void) {
    this.step = step;
    this.task = task;
    this.transfer = transfer;
    const { promise, resolve, reject } = withResolvers();
    this.outcome = promise;
    this.#settle = { resolve, reject };
    const abort = (): void => {
      this.end({ code: "RUN_ABORTED", reason: signal.reason });
      ended(this);
    };
    this.#leave = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }

  /** Settles with the outcome of a result, or with the error that the function threw. */
  answer(result: TaggedResult): void {
    try {
      this.#resolve(outcomeOf(result, this));
    } catch (error) {
      this.reject(error);
    }
  }

  reject(cause: unknown): void {
    this.#leave();
    this.#settle.reject(cause);
  }

  /** Whether the input reached the thread. Asked after a DataCloneError alone: it clones the input again. */
  wasSent(): boolean {
    if (this.transfer.some((given) => given instanceof ArrayBuffer && isDetached(given))) return true;
    try {
      structuredClone([this.task.input, this.task.read]);
      return true;
    } catch {
      return false;
    }
  }

  /** Answers a fault at once, and ends the thread where the job runs. */
  end(why: RuntimeFault): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#resolve(fault(runtimeFault(why)));
    this.#terminate?.();
  }

  #resolve(outcome: unknown): void {
    this.#leave();
    this.#settle.resolve(outcome);
  }

  /** Called by piscina, for "abort". */
  addEventListener(_name: "abort", listener: () => void): void {
    this.#terminate = listener;
  }

  removeEventListener(): void {
    this.#terminate = undefined;
  }
}

/** Also of a buffer without bytes, which nobody can tell from one that was handed over. */
const isDetached = (buffer: ArrayBuffer): boolean => buffer.byteLength === 0;

function withResolvers() {
  let resolve: (value: unknown) => void = () => {};
  let reject: (cause: unknown) => void = () => {};
  const promise = new Promise<unknown>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
