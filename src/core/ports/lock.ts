// The port of locks.

import { namedKey } from "../bus/bus-key.js";
import type { MaybePromise } from "../bus/outcome-types.js";

export interface LockLease {
  readonly key: string;
  /** A safe integer, greater than that of all earlier leases of this key. Identifies the holder. */
  readonly token: number;
}

/**
 * Keeps locks for all processes of a service: a key has at most one holder at a time. A halted
 * holder can lose its lock without noticing. Its token prevents harm: the protected resource
 * refuses tokens below the greatest that it has seen. A call that fails throws or rejects.
 */
export interface LockProvider {
  /** Set by providers in the memory of one process, which lock only that process: the state kept there. */
  readonly perProcess?: string;
  /** A lease for `ttlMs` milliseconds; undefined if the key is held. */
  readonly acquire: (key: string, ttlMs: number) => MaybePromise<LockLease | undefined>;
  /** Extends the lease to `ttlMs` from now. False if it was no longer held. */
  readonly renew: (lease: LockLease, ttlMs: number) => MaybePromise<boolean>;
  /** Releases the lock. False if it was no longer held. */
  readonly release: (lease: LockLease) => MaybePromise<boolean>;
}

/**
 * The token of the lock that the run holds, for steps with writes that may conflict with another
 * run's. For nested Axons with locks it is the token of the inner one.
 */
export const FencingToken = namedKey<number, "FencingToken">("FencingToken");
