// The port of responses under idempotency keys.

import { namedKey } from "../bus/bus-key.js";
import type { MaybePromise } from "../bus/outcome-types.js";

/** An answer without what an ingress adds to each. */
export interface KeptAnswer {
  readonly status: number;
  /** Header lines as they stand on the wire, each behind its CR LF. */
  readonly headers: string;
  /** Undefined where it has none, as a 204. */
  readonly body: Uint8Array | undefined;
}

export interface IdempotencyLease {
  readonly key: string;
  /** Names the holder: none of two of one key is the same. */
  readonly token: string;
}

/** What is known of a key. `fingerprint` is that of the request which claimed it. */
export type IdempotencyClaim =
  | { readonly kind: "first"; readonly lease: IdempotencyLease }
  | { readonly kind: "running"; readonly fingerprint: string }
  /** Without an answer where that was too large. */
  | { readonly kind: "kept"; readonly fingerprint: string; readonly answer: KeptAnswer | undefined }
  | { readonly kind: "full" };

/**
 * Where responses are kept under idempotency keys, for all processes of a service. What an
 * implementation must keep to:
 *
 * - Of all that claim a key at the same time, one is the first.
 * - A claimed key is free again when its lease is over. A run that ends later can still keep its
 *   response, until another run claims the key.
 * - A full store may drop kept responses. It never drops a lease.
 * - Keys and fingerprints are short ASCII. A call that fails throws or rejects.
 */
export interface IdempotencyStore {
  /** What it keeps in the memory of its process, where it does: other processes do not know of it. */
  readonly perProcess?: string;
  /**
   * Claims the key for `leaseMs` milliseconds, where nobody has it and nothing is kept under it.
   * `subject` identifies the verified caller, for erasure: 43 characters of base64url.
   */
  readonly claim: (
    key: string,
    fingerprint: string,
    leaseMs: number,
    subject?: string,
  ) => MaybePromise<IdempotencyClaim>;
  /** Keeps the answer for `ttlMs` milliseconds. False where another has claimed the key meanwhile. */
  readonly keep: (
    lease: IdempotencyLease,
    answer: KeptAnswer | undefined,
    ttlMs: number,
  ) => MaybePromise<boolean>;
  /** Frees the key. False where it was not held any more. */
  readonly release: (lease: IdempotencyLease) => MaybePromise<boolean>;
}

/** How an ingress answers requests that come again. */
export interface IdempotencyPolicy {
  readonly store: IdempotencyStore;
  /** Those that have a key. */
  readonly methods: ReadonlySet<string>;
  /** How long answers are kept. */
  readonly ttlMs: number;
  /** How long a run may hold its key; undefined for half a minute more than its route may take. */
  readonly leaseMs: number | undefined;
  readonly maxBodyBytes: number;
  /** How long the store may take. */
  readonly storeTimeoutMs: number;
  /** "own": the guard's scope counts, not the verified identity. "cookie": a cookie distinguishes unverified callers. */
  readonly scope?: "own" | "cookie" | undefined;
}

export interface IdempotentRequest {
  /** The scope of the key; undefined for an unknown caller, unless one is verified behind the guard. */
  readonly client: string | undefined;
  readonly key: string;
}

/** Written by the guard that declares an {@link IdempotencyPolicy}, where the request has a key. */
export const IdempotentRequest = namedKey<IdempotentRequest, "IdempotentRequest">("IdempotentRequest");
