import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";
import type { FencingToken, LockProvider } from "#core/ports/lock.js";

/** Runs are independent. */
export interface Local {
  readonly kind: "local";
}

/** One run at a time, across all processes that share the lock's provider. */
export interface Singleton {
  readonly kind: "singleton";
  readonly lockKey: string;
  readonly ttlMs: number;
  readonly provider: LockProvider;
}

/** The keys that an Axon in this mode finds on its Bus. */
export type TokenIn<M extends ExecutionMode> = [M] extends [Singleton] ? typeof FencingToken : never;

/** How the runs of an Axon exclude each other. */
export type ExecutionMode = Local | Singleton;

export const ExecutionMode = Object.freeze({
  /** Runs are independent. The default. */
  local(): Local {
    return LOCAL;
  },

  /**
   * One run at a time holds the lock `lockKey`; any other ends as LOCK_TAKEN. The lock is held for
   * `ttlMs` milliseconds, renewed while the run continues, and released at its end. After a crash
   * it expires when `ttlMs` is over.
   */
  singleton(lockKey: string, ttlMs: number, provider: LockProvider): Singleton {
    const call = `ExecutionMode.singleton(${JSON.stringify(lockKey)}, ${ttlMs}, provider)`;
    if (typeof lockKey !== "string" || lockKey === "")
      throw invalidOption(call, "name the lock by a string that is not empty");
    if (!(ttlMs > 0 && ttlMs <= MAX_TIMER_MS))
      throw invalidOption(call, `hold it for milliseconds above 0, at most ${MAX_TIMER_MS}`);
    for (const method of ["acquire", "renew", "release"] as const)
      if (typeof provider?.[method] !== "function")
        throw invalidOption(call, `the provider has no function '${method}'`);
    return Object.freeze({ kind: "singleton", lockKey, ttlMs, provider });
  },
});

const LOCAL: Local = Object.freeze({ kind: "local" });
