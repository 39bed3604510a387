// The events of an audit log. Each holds the hash of the event before it, so that the log is a
// chain: SHA-256 over the canonical JSON (RFC 8785) of all members but `hash`.

import type { Json } from "../wire/json-text.js";

/** What a program gives to a sink; the sink adds what is missing, and links it. */
export interface AuditEntry {
  /** 1 to 200 characters. An entry whose id a sink holds already is not appended again. Default: random. */
  readonly id?: string;
  /** UTC with microseconds: `2026-01-31T12:00:00.000000Z`. Default: the time of the append. */
  readonly timestamp?: string;
  /** Who did it: a user, a service, a role. */
  readonly actor: string;
  /** What was done, such as `order.cancel`. */
  readonly action: string;
  /** To what it was done. */
  readonly target: string;
  /** Why, in the actor's words. */
  readonly intent?: string;
  /** Plain JSON of at most 64 KiB. Members whose value is undefined are left out. */
  readonly metadata?: { readonly [name: string]: unknown };
}

/** Sealed texts (audit/sealed-text.ts) stand in `actor`, `target` and `metadata` as texts, too: the hash covers the ciphertext. */
export interface AuditEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly intent?: string;
  readonly metadata: { readonly [name: string]: Json };
  /** Hash of the event before it in lower-case hexadecimal; {@link NO_HASH} in the first. */
  readonly prev_hash: string;
  readonly hash: string;
}

/** An event and its place in the chain, from 1. */
export interface PlacedAuditEvent {
  readonly position: number;
  readonly event: AuditEvent;
}

/** `prev_hash` of the first event of a chain. */
export const NO_HASH = "0".repeat(64);
