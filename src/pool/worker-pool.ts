// The pool around piscina. It handles three properties of piscina.
//
//   WP1. Its `maxQueue` does not count tasks with a signal: jobs wait here, bounded, and piscina
//       receives no more of them than it has threads.
//   WP2. A thread has one job at a time: ending the thread is a fault of that job only.
//   WP3. With `atomics: "sync"` a thread sleeps between tasks. A timer that a job has left then throws
//       during the next job, which is blamed. With "async" it throws when it is due.
//   WP4. An abort does not end a thread that is loading the module of its job: else a module that takes
//       longer than the runs that need it is never loaded.

import type { Piscina } from "piscina";
import { fault } from "#core/bus/outcome.js";
import { type RuntimeFault, runtimeFault } from "#core/bus/runtime-fault.js";
import { monotonicMs } from "#core/clock.js";
import type { PoolFill, PoolObserver } from "#core/ports/pool-observer.js";
import { Job, type JobOptions } from "./job.js";
import { MemoryWatch } from "./memory-watch.js";
import type { TaggedResult } from "./tagged-result.js";

export interface PoolSettings {
  readonly threads: number;
  /** Maximum number of waiting jobs. */
  readonly queue: number;
  readonly idleTimeoutMs: number;
  /** Limit of each thread. */
  readonly memoryLimitMb: number;
  /** Starts the threads at once, and keeps them. */
  readonly warm: boolean;
}

export class WorkerPool {
  readonly settings: PoolSettings;
  readonly #loaded: Promise<Piscina>;
  #piscina: Piscina | undefined;
  /** In order of arrival. */
  readonly #waiting = new Set<Job>();
  readonly #running = new Set<Job>();
  readonly #memory: MemoryWatch;
  readonly #tell: PoolObserver;
  #isClosed = false;
  #isRetired = false;
  /** Mean over about the last eight jobs. */
  #meanRunMs = 0;

  constructor(settings: PoolSettings, tell: PoolObserver) {
    this.settings = settings;
    this.#tell = tell;
    this.#memory = new MemoryWatch(settings.memoryLimitMb, this.#running);
    this.#loaded = this.#load();
    this.#loaded.then(
      (piscina) => {
        this.#piscina = piscina;
        this.#next();
      },
      (cause) => this.#endAll((step) => ({ code: "WORKER_CRASHED", step, cause })),
    );
  }

  get fill(): PoolFill {
    const { threads, queue } = this.settings;
    return { threads, queue, running: this.#running.size, waiting: this.#waiting.size };
  }

  /** Resolves to the outcome of the step; rejects with the error that the function threw. */
  run(options: JobOptions): Promise<unknown> {
    const { threads, queue } = this.settings;
    const { step } = options;
    if (this.#isClosed) return Promise.resolve(fault(runtimeFault({ code: "POOL_CLOSED", step })));
    if (this.#waiting.size + this.#running.size >= threads + queue) {
      const retryAfterSecs = this.#secondsToRoom();
      this.#tell({ step, end: "POOL_FULL", waitedMs: 0, ranMs: undefined });
      return Promise.resolve(fault(runtimeFault({ code: "POOL_FULL", step, retryAfterSecs })));
    }
    const job = new Job(options, (ended, record) => {
      this.#waiting.delete(ended);
      this.#tell(record);
    });
    if (!job.aborted) this.#waiting.add(job);
    this.#memory.watch();
    this.#next();
    return job.outcome;
  }

  /** Closes after its last job. */
  retire(): void {
    this.#isRetired = true;
    this.#next();
  }

  /** Ends the remaining jobs as POOL_CLOSED, and the threads. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endAll((step) => ({ code: "POOL_CLOSED", step }));
    this.#memory.stop();
    const piscina = await this.#loaded.catch(() => undefined);
    await piscina?.destroy();
  }

  async #load(): Promise<Piscina> {
    const { Piscina } = await import("piscina");
    const { threads, idleTimeoutMs, memoryLimitMb, warm } = this.settings;
    const piscina = new Piscina({
      filename: import.meta.resolve("#pool/entry.js"),
      name: "run",
      minThreads: warm ? threads : 0,
      maxThreads: threads,
      idleTimeout: idleTimeoutMs,
      concurrentTasksPerWorker: 1,
      atomics: "async",
      execArgv: inherited(process.execArgv),
      resourceLimits: { maxOldGenerationSizeMb: memoryLimitMb },
      recordTiming: false,
    });
    // From a thread without a job: a timer of an earlier job threw, or the thread did not start.
    piscina.on("error", (cause) => {
      const neverStarts = piscina.threads.length === 0 && piscina.queueSize > 0;
      if (neverStarts) this.#endAll((step) => ({ code: "WORKER_CRASHED", step, cause }));
    });
    return piscina;
  }

  #next(): void {
    const piscina = this.#piscina;
    if (piscina === undefined) return;
    for (const job of this.#waiting) {
      if (this.#running.size >= this.settings.threads) return;
      this.#waiting.delete(job);
      this.#running.add(job);
      void this.#work(piscina, job);
    }
    if (this.#running.size > 0) return;
    this.#memory.rest();
    if (this.#isRetired && !this.#isClosed) void this.close();
  }

  async #work(piscina: Piscina, job: Job): Promise<void> {
    job.sent();
    try {
      const options = { signal: job, transferList: job.transfer as never };
      job.answer((await piscina.run(job.task, options)) as TaggedResult);
    } catch (error) {
      this.#failed(job, error);
    } finally {
      job.left();
      this.#running.delete(job);
      this.#meanRunMs += (monotonicMs() - job.startedAt - this.#meanRunMs) / 8;
      this.#next();
    }
  }

  /** Handles a rejection of piscina. It is ignored for a job that was ended before. */
  #failed(job: Job, error: unknown): void {
    const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
    const { step } = job;
    if (code === "ERR_WORKER_OUT_OF_MEMORY")
      job.end({ code: "POOL_MEMORY", step, of: "heap", limitMb: this.settings.memoryLimitMb });
    else if (name === "DataCloneError") {
      const value = job.wasSent() ? "answer" : "input";
      job.end({ code: "VALUE_NOT_CLONEABLE", step, value, reason: String(message) });
    } else if (code === "ERR_INVALID_TRANSFER_OBJECT" || error instanceof TypeError) job.reject(error);
    else job.end({ code: "WORKER_CRASHED", step, cause: error });
  }

  #endAll(why: (step: string) => RuntimeFault): void {
    const jobs = [...this.#waiting, ...this.#running];
    this.#waiting.clear();
    for (const job of jobs) job.end(why(job.step));
  }

  #secondsToRoom(): number {
    const ms = (this.#meanRunMs * this.settings.queue) / this.settings.threads;
    return Math.min(60, Math.max(1, Math.ceil(ms / 1000)));
  }
}

/** The options of the process that affect module loading. Others may be invalid for threads. */
function inherited(execArgv: readonly string[]): string[] {
  return execArgv.flatMap((option, index) => {
    if (/^(?:--conditions=|-C=|--enable-source-maps$)/.test(option)) return [option];
    return option === "--conditions" || option === "-C" ? [option, execArgv[index + 1] ?? ""] : [];
  });
}
