// The port of locks that many processes share: at most one holder of a key at a time.
//
// A holder can lose its lock without noticing: it was halted, and its time ran out.
// That is what the token is for: a store that remembers the greatest token it has
// seen, and refuses lesser ones, keeps such a holder from doing harm.

import { namedKey } from "./bus-key.js";
import type { MaybePromise } from "./outcome-types.js";

/** A lock that somebody holds for a time. */
export interface LockLease {
  readonly key: string;
  /** A safe integer, greater than that of every lease of this key before: it names the holder too. */
  readonly token: number;
}

/** Where locks are kept. A call that fails throws or rejects. */
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
