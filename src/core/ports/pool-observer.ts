// Metrics of the worker pool.

/** A finished job. */
export interface OffloadedJob {
  readonly step: string;
  /** "done" if the function returned or threw, else the code of the fault that the pool made of the job. */
  readonly end: string;
  /** Milliseconds in the queue. */
  readonly waitedMs: number;
  /** Milliseconds in a thread; undefined if the job never began. */
  readonly ranMs: number | undefined;
}

/** Called once for each job, when it is over. Must not throw. */
export type PoolObserver = (job: OffloadedJob) => void;

export interface PoolFill {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  /** Maximum number of waiting jobs. */
  readonly queue: number;
}
