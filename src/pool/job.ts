import { fault } from "#core/bus/outcome.js";
import { type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import { monotonicMs } from "#core/clock.js";
import type { OffloadedJob } from "#core/ports/pool-observer.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import { endOf, outcomeOf, type TaggedResult } from "./tagged-result.js";

/** The message to a thread (entry.js). */
export interface Task {
  /** The module's URL. */
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
  /** Values of the Bus that the step reads, by the names of the keys; undefined for none. */
  readonly read: unknown;
  /** Whether the ArrayBuffers of the result are transferred. */
  readonly moves: boolean;
}

export interface JobOptions {
  readonly step: string;
  readonly task: Task;
  readonly transfer: readonly unknown[];
  /** Of the run. */
  readonly signal: AbortSignal;
  /** Of the node, if its run is traced with spans. */
  readonly span?: NodeSpan | undefined;
}

/**
 * One call of a worker's function. It is the abort signal of its piscina task: ending a running job
 * ends the thread, ending a waiting one removes it from the queue.
 */
export class Job {
  readonly step: string;
  readonly task: Task;
  readonly transfer: readonly unknown[];
  /** Settles once: with the function's result or with an error. */
  readonly outcome: Promise<unknown>;
  /** By `performance.now()`; 0 while the job waits. */
  startedAt = 0;
  aborted = false;
  #settle: { readonly resolve: (outcome: unknown) => void; readonly reject: (cause: unknown) => void };
  #terminate: (() => void) | undefined;
  readonly #createdAt = monotonicMs();
  readonly #span: NodeSpan | undefined;
  readonly #over: (job: Job, record: OffloadedJob) => void;
  readonly #leave: () => void;
  #isOver = false;

  /** `over` is called once: before the outcome settles. */
  constructor(options: JobOptions, over: (job: Job, record: OffloadedJob) => void) {
    const { step, task, transfer, signal, span } = options;
    this.step = step;
    this.task = task;
    this.transfer = transfer;
    this.#span = span;
    this.#over = over;
    const { promise, resolve, reject } = withResolvers();
    this.outcome = promise;
    this.#settle = { resolve, reject };
    const abort = (): void => this.end({ code: "RUN_ABORTED", reason: signal.reason });
    this.#leave = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }

  /** Settles with the outcome of a result, or with the error that the function threw. */
  answer(result: TaggedResult): void {
    try {
      this.#resolve(outcomeOf(result, this), endOf(result));
    } catch (error) {
      this.reject(error);
    }
  }

  reject(cause: unknown): void {
    this.#end("done");
    this.#settle.reject(cause);
  }

  /** Whether the input reached the thread. Only called after a DataCloneError, as it clones the input again. */
  wasSent(): boolean {
    if (this.transfer.some((given) => given instanceof ArrayBuffer && isDetached(given))) return true;
    try {
      structuredClone([this.task.input, this.task.read]);
      return true;
    } catch {
      return false;
    }
  }

  /** Settles with a fault at once, and ends the thread if the job is running. */
  end(why: RuntimeFault): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#resolve(fault(runtimeFault(why)), why.code);
    this.#terminate?.();
  }

  #resolve(outcome: unknown, end: string): void {
    this.#end(end);
    this.#settle.resolve(outcome);
  }

  #end(end: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    const { step, startedAt } = this;
    const now = monotonicMs();
    const hasBegun = startedAt > 0;
    if (hasBegun) this.#span?.worked(this.task.name, startedAt, now, end === "done" ? undefined : end);
    const waitedMs = (hasBegun ? startedAt : now) - this.#createdAt;
    this.#over(this, { step, end, waitedMs, ranMs: hasBegun ? now - startedAt : undefined });
  }

  /** Called by piscina, for "abort". */
  addEventListener(_name: "abort", listener: () => void): void {
    this.#terminate = listener;
  }

  removeEventListener(): void {
    this.#terminate = undefined;
  }
}

/** Also true for an empty buffer, which looks the same as a transferred one. */
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
