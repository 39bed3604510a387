// The only pool of the process: made for the first job, closed when the last server that uses it stops.

import { FrameworkError } from "#core/errors.js";
import { interned } from "#core/interned.js";
import type { PoolFill, PoolObserver } from "#core/ports/pool-observer.js";
import { threadsFor } from "#core/ports/pool-threads.js";
import { type PoolSettings, WorkerPool } from "./worker-pool.js";

export interface PoolOptions extends Omit<PoolSettings, "threads"> {
  /** "auto": cores per serving process, less one for the event loop. */
  readonly threads: number | "auto";
}

export const DEFAULT_POOL: PoolOptions = {
  threads: "auto",
  queue: 256,
  idleTimeoutMs: 60_000,
  memoryLimitMb: 512,
  warm: false,
};

interface Shared {
  pool: WorkerPool | undefined;
  /** Options of a running server; undefined if none sets them. */
  wanted: PoolOptions | undefined;
  settings: PoolSettings | undefined;
  servers: number;
  readonly observers: Set<PoolObserver>;
}

// Shared by the copies of the package: two pools would have twice the threads.
const shared = interned<Shared>("WorkerPool", () => ({
  pool: undefined,
  wanted: undefined,
  settings: undefined,
  servers: 0,
  observers: new Set(),
}));

const tell: PoolObserver = (job) => {
  for (const observe of shared.observers) observe(job);
};

/** Calls the observer for each job of the process, of any pool. Returns a function that ends that. */
export function observePool(observer: PoolObserver): () => void {
  shared.observers.add(observer);
  return () => shared.observers.delete(observer);
}

/** Undefined if there is no pool yet. */
export const poolFill = (): PoolFill | undefined => shared.pool?.fill;

/** The pool, made on demand; with defaults if no server runs. */
export function currentPool(): WorkerPool {
  shared.pool ??= new WorkerPool(shared.settings ?? settingsOf(DEFAULT_POOL, 1), tell);
  return shared.pool;
}

/**
 * Sets the pool's options while a server runs, one of `workers`; the returned function ends that.
 * Undefined: the options of other servers. Throws CONFIG_CONFLICT if another server of this process
 * sets other options.
 */
export function joinPool(wanted: PoolOptions | undefined, workers: number | "auto"): () => Promise<void> {
  if (wanted !== undefined && shared.wanted !== undefined && !isSame(wanted, shared.wanted))
    throw new FrameworkError(
      "CONFIG_CONFLICT",
      `Another server of this process has its worker pool with ${JSON.stringify(shared.wanted)}, this one wants ${JSON.stringify(wanted)}: give both the same [pool]`,
    );
  shared.servers += 1;
  if (shared.servers === 1 || wanted !== undefined) {
    shared.wanted = wanted;
    settle(settingsOf(wanted ?? DEFAULT_POOL, workers));
  }
  return leave;
}

function settle(settings: PoolSettings): void {
  const { pool } = shared;
  shared.settings = settings;
  if (pool !== undefined && !isSame(pool.settings, settings)) {
    pool.retire();
    shared.pool = undefined;
  }
  if (settings.warm) currentPool();
}

async function leave(): Promise<void> {
  shared.servers -= 1;
  if (shared.servers > 0) return;
  shared.wanted = undefined;
  shared.settings = undefined;
  await closePool();
}

/** Ends the remaining jobs. A later job makes a new pool. */
export async function closePool(): Promise<void> {
  const { pool } = shared;
  shared.pool = undefined;
  await pool?.close();
}

const settingsOf = ({ threads, ...rest }: PoolOptions, workers: number | "auto"): PoolSettings => ({
  ...rest,
  threads: threads === "auto" ? threadsFor(workers) : threads,
});

const isSame = <P extends PoolOptions>(a: P, b: P): boolean =>
  (Object.keys(a) as (keyof P)[]).every((name) => a[name] === b[name]);
