// The events of an audit log. Each holds the hash of the previous one, so that the log is a
// chain: SHA-256 over the canonical JSON (RFC 8785) of all members except `hash`.

import type { Json } from "../wire/json-text.js";

/**
 * An event as a program passes it to a sink. The sink adds the missing members and links it. Texts
 * are made to fit: NUL and lone surrogates become escapes, `\u0000`; a text that is too long its
 * beginning and the SHA-256 of the whole; an empty one `(empty)`, an empty intent none.
 */
export interface AuditEntry {
  /** At most 200 bytes. An entry with an id that the sink already holds is not appended again. Default: random. */
  readonly id?: string;
  /** UTC with microseconds: `2026-01-31T12:00:00.000000Z`. Default: the time of the append. */
  readonly timestamp?: string;
  /** The acting user, service or role: at most 2300 bytes in UTF-8. */
  readonly actor: string;
  /** The action, such as `order.cancel`: at most 200 bytes. */
  readonly action: string;
  /** The object of the action: at most 2300 bytes. */
  readonly target: string;
  /** The reason, in the actor's words: at most 4000 bytes. */
  readonly intent?: string;
  /** Plain JSON of at most 64 KiB; larger one is kept as the beginning of its JSON, in the member `(too large)`. Members with the value undefined are omitted. */
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
  /** Hash of the previous event in lower-case hexadecimal; {@link NO_HASH} in the first. */
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
