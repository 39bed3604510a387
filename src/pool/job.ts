import { fault } from "#core/bus/outcome.js";
import { type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import { monotonicMs } from "#core/clock.js";
import type { OffloadedJob } from "#core/ports/pool-observer.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import { countWorked } from "#runtime/run/worked-time.js";
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
  /** A bigint: when the function was called, by `process.hrtime`; 0 before that, -1 if it must not be. */
  readonly begun: SharedArrayBuffer;
}

const DROPPED = -1n;

export interface JobOptions {
  readonly step: string;
  readonly task: Omit<Task, "begun">;
  readonly transfer: readonly unknown[];
  /** Time limit of starting a thread and loading the module in it. */
  readonly loadTimeoutMs: number;
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
  // Read where a limit ends: a message of the thread would cost each job.
  readonly #begun = new BigInt64Array(new SharedArrayBuffer(8));
  readonly #loadTimeoutMs: number;
  #loading: NodeJS.Timeout | undefined;

  /** `over` is called once: before the outcome settles. */
  constructor(options: JobOptions, over: (job: Job, record: OffloadedJob) => void) {
    const { step, task, transfer, loadTimeoutMs, signal, span } = options;
    this.step = step;
    this.task = { ...task, begun: this.#begun.buffer };
    this.#loadTimeoutMs = loadTimeoutMs;
    this.transfer = transfer;
    this.#span = span;
    this.#over = over;
    const { promise, resolve, reject } = withResolvers();
    this.outcome = promise;
    this.#settle = { resolve, reject };
    const abort = (): void => this.#abort(signal.reason);
    this.#leave = () => signal.removeEventListener("abort", abort);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const begun = this.#begun;
    countWorked(signal, () => workedIn(begun));
  }

  /** The pool has handed it to a thread. */
  sent(): void {
    this.startedAt = monotonicMs();
    this.#loading = setTimeout(() => this.#notLoaded(), this.#loadTimeoutMs);
  }

  /** The pool has its thread back. */
  left(): void {
    clearTimeout(this.#loading);
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

  /** A thread that still loads the module goes on (WP4). */
  #abort(reason: unknown): void {
    const isLoading = this.startedAt > 0 && Atomics.compareExchange(this.#begun, 0, 0n, DROPPED) === 0n;
    if (isLoading) this.#resolve(fault(runtimeFault({ code: "RUN_ABORTED", reason })), "RUN_ABORTED");
    else this.end({ code: "RUN_ABORTED", reason });
  }

  #notLoaded(): void {
    if (workedIn(this.#begun) !== undefined) return;
    const { step, task } = this;
    const reason = `it had not been loaded after ${this.#loadTimeoutMs} ms: give the step a longer loadTimeoutMs, or load less`;
    this.end({ code: "WORKER_MODULE_FAILED", step, module: task.module, reason, cause: undefined });
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

/** How long the function has been running; undefined before it is called. */
function workedIn(begun: BigInt64Array): number | undefined {
  const at = Atomics.load(begun, 0);
  return at > 0n ? Number(process.hrtime.bigint() - at) / 1e6 : undefined;
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
