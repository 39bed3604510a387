// The port of responses under idempotency keys.

import { namedKey } from "../bus/bus-key.js";
import type { MaybePromise } from "../bus/outcome-types.js";

/** A response without the parts that an ingress adds to each response. */
export interface KeptAnswer {
  readonly status: number;
  /** Header lines in wire form, each preceded by its CR LF. */
  readonly headers: string;
  /** Undefined without a body, as for 204. */
  readonly body: Uint8Array | undefined;
}

export interface IdempotencyLease {
  readonly key: string;
  /** Identifies the holder: unique for each claim of a key. */
  readonly token: string;
}

/** State of a key. `fingerprint` is that of the request that claimed it. */
export type IdempotencyClaim =
  | { readonly kind: "first"; readonly lease: IdempotencyLease }
  | { readonly kind: "running"; readonly fingerprint: string }
  /** `answer` is undefined if the response was too large. */
  | { readonly kind: "kept"; readonly fingerprint: string; readonly answer: KeptAnswer | undefined }
  | { readonly kind: "full" };

/**
 * Keeps responses under idempotency keys, for all processes of a service. The implementer must
 * guarantee:
 *
 * - Of concurrent claims of a key, exactly one is the first.
 * - A claimed key is free again when its lease expires, or before, when its host has died. A run that ends later can still keep its
 *   response, until another run claims the key.
 * - A full store may drop kept responses. It never drops a lease.
 * - Keys and fingerprints are short ASCII. A call that fails throws or rejects.
 */
export interface IdempotencyStore {
  /** Set by stores in the memory of one process, which other processes do not see: the state kept there. */
  readonly perProcess?: string;
  /**
   * Claims the key for `leaseMs` milliseconds, if it is free and no response is kept under it.
   * `subject` identifies the verified caller, for erasure: 43 characters of base64url. `host` is given
   * if a second run under the key does no harm, and the hosts of runs have their leases in the same
   * database: then the key is free once that host has none. A store may ignore it.
   */
  readonly claim: (
    key: string,
    fingerprint: string,
    leaseMs: number,
    subject?: string,
    host?: string,
  ) => MaybePromise<IdempotencyClaim>;
  /** Keeps the response for `ttlMs` milliseconds. False if another run has claimed the key meanwhile. */
  readonly keep: (
    lease: IdempotencyLease,
    answer: KeptAnswer | undefined,
    ttlMs: number,
  ) => MaybePromise<boolean>;
  /** Frees the key. False if it was no longer held. */
  readonly release: (lease: IdempotencyLease) => MaybePromise<boolean>;
}

/** How an ingress handles repeated requests. */
export interface IdempotencyPolicy {
  readonly store: IdempotencyStore;
  /** Methods that may have a key. */
  readonly methods: ReadonlySet<string>;
  /** How long responses are kept. */
  readonly ttlMs: number;
  /** Lease time of a run. Default (undefined): the time limit of its route and half a minute. */
  readonly leaseMs: number | undefined;
  readonly maxBodyBytes: number;
  /** Time limit of the store. */
  readonly storeTimeoutMs: number;
  /** "own": the guard's scope counts, not the verified identity. "cookie": a cookie distinguishes unverified callers. */
  readonly scope?: "own" | "cookie" | undefined;
}

export interface IdempotentRequest {
  /** Scope of the key; undefined for an unknown caller, unless one is verified behind the guard. */
  readonly client: string | undefined;
  readonly key: string;
}

/** Written by the guard that declares an {@link IdempotencyPolicy}, if the request has a key. */
export const IdempotentRequest = namedKey<IdempotentRequest, "IdempotentRequest">("IdempotentRequest");
