// The port of locks.

import { namedKey } from "../bus/bus-key.js";
import type { MaybePromise } from "../bus/outcome-types.js";

export interface LockLease {
  readonly key: string;
  /** A safe integer, greater than that of every lease of this key before: it names the holder too. */
  readonly token: number;
}

/**
 * Where locks are kept, for all processes of a service: a key has at most one holder at a time.
 * A holder that was halted can lose its lock without noticing. Its token prevents harm: what the
 * lock protects refuses tokens below the greatest that it has seen. A call that fails throws or
 * rejects.
 */
export interface LockProvider {
  /** What it keeps in the memory of its process, where it does: it locks out nobody elsewhere. */
  readonly perProcess?: string;
  /** A lease for `ttlMs` milliseconds; undefined where somebody holds the key. */
  readonly acquire: (key: string, ttlMs: number) => MaybePromise<LockLease | undefined>;
  /** Whether it is still held: then for `ttlMs` from now on. */
  readonly renew: (lease: LockLease, ttlMs: number) => MaybePromise<boolean>;
  /** Gives it back. Whether it was still held. */
  readonly release: (lease: LockLease) => MaybePromise<boolean>;
}

/**
 * The token of the lock that the run holds: for steps that write where somebody else
 * could. In an Axon that holds a lock of its own inside another it is the inner one's.
 */
export const FencingToken = namedKey<number, "FencingToken">("FencingToken");
