// Axons that run once at a time, with locks that note what is asked of them.

import type { Report } from "#core/bus/reporter.js";
import { transition } from "#core/flow/transition.js";
import type { LockLease, LockProvider } from "#core/ports/lock.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { runner } from "./executor-runs.js";
import type { Executor } from "./executors.js";

export const never = (): Promise<never> => new Promise(() => {});

/** A step that goes on when it is told to. */
export const gate = () => {
  let open: (value: unknown) => void = () => {};
  const step = transition({
    name: "gate",
    run: (n: number) =>
      new Promise<number>((resolve) => {
        open = () => resolve(n);
      }),
  });
  return { step, open: () => open(undefined) };
};

/** Locks that note what is asked of them, and can be made to misbehave. */
export class NotedLocks implements LockProvider {
  readonly calls: string[] = [];
  readonly inner: MemoryLocks;
  readonly misbehave: Partial<LockProvider>;

  constructor(clock: ManualClock, misbehave: Partial<LockProvider> = {}) {
    this.inner = new MemoryLocks({ clock });
    this.misbehave = misbehave;
  }

  acquire(key: string, ttlMs: number) {
    this.calls.push("acquire");
    return (this.misbehave.acquire ?? this.inner.acquire)(key, ttlMs);
  }

  renew(lease: LockLease, ttlMs: number) {
    this.calls.push("renew");
    return (this.misbehave.renew ?? this.inner.renew)(lease, ttlMs);
  }

  release(lease: LockLease) {
    this.calls.push("release");
    return (this.misbehave.release ?? this.inner.release)(lease);
  }

  get isFree(): boolean {
    const lease = this.inner.acquire("k", 1);
    if (lease !== undefined) this.inner.release(lease);
    return lease !== undefined;
  }
}

/** What runs Axons, and the mode in which they take the lock. */
export const lockedRuns = (executor: Executor, misbehave: Partial<LockProvider> = {}) => {
  const clock = new ManualClock();
  const locks = new NotedLocks(clock, misbehave);
  const reports: Report[] = [];
  const options = { clock, reporter: (report: Report) => void reports.push(report) };
  const once = runner({ ...executor, options: { ...executor.options, ...options } });
  const run = (axon: AnyAxon, input: unknown = 1, signal?: AbortSignal) => once(axon, input, signal);
  const mode = ExecutionMode.singleton("k", 300, locks);
  return { clock, locks, reports, run, mode, options };
};
