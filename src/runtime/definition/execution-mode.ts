import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption } from "#core/invalid-option.js";
import type { FencingToken, LockProvider } from "#core/ports/lock.js";

/** Each run by itself. */
export interface Local {
  readonly kind: "local";
}

/** One run at a time, wherever the lock's provider reaches. */
export interface Singleton {
  readonly kind: "singleton";
  readonly lockKey: string;
  readonly ttlMs: number;
  readonly provider: LockProvider;
}

/** What an Axon in this mode finds on its Bus. */
export type TokenIn<M extends ExecutionMode> = [M] extends [Singleton] ? typeof FencingToken : never;

/** How the runs of an Axon stand to each other. */
export type ExecutionMode = Local | Singleton;

export const ExecutionMode = Object.freeze({
  /** Runs know nothing of each other. The default. */
  local(): Local {
    return LOCAL;
  },

  /**
   * One run at a time holds the lock `lockKey`; any other ends as LOCK_TAKEN. It is held
   * for `ttlMs` milliseconds, renewed while the run goes on, and given back at its end;
   * after a crash it is free when they are over.
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
