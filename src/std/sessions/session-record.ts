// Validates records that enter a session store, and records that it returns.

import { hash } from "node:crypto";

import type { IamIdentity } from "#core/iam/iam-identity.js";
import { ownedIdentity, verifiedName } from "#core/iam/owned-identity.js";
import type { SessionData, SessionFound, SessionRecord } from "#core/ports/session-store.js";

/** Maximum size of an identity. An application's user data belong in the data. */
const MAX_IDENTITY_BYTES = 16_384;

/** The same for all sessions of a subject. */
export const ownerOf = ({ subject, issuer }: Pick<IamIdentity, "subject" | "issuer">): string => {
  const name = verifiedName({ subject, roles: [], claims: {}, ...(issuer !== undefined && { issuer }) });
  return hash("sha256", name, "base64url");
};

/**
 * A copy as a store would return it; undefined if too large. Throws TypeError for an invalid
 * identity. Programs pass a user's row: members that an identity lacks are dropped.
 */
export function keptIdentity(given: unknown): IamIdentity | undefined {
  const { subject, issuer, roles, claims, expiresAt } = (given ?? {}) as Partial<IamIdentity>;
  // JSON cannot represent Infinity.
  const end = expiresAt === Number.POSITIVE_INFINITY ? undefined : expiresAt;
  const copy = copied({ subject, issuer, roles, claims, expiresAt: end }, MAX_IDENTITY_BYTES);
  if (copy === undefined) return undefined;
  const kept = ownedIdentity(copy);
  if (kept === undefined)
    throw new TypeError("There is no identity to log in: it is JSON, { subject, roles: [], claims: {} }");
  return kept;
}

/** Absolute expiry: an identity from a rotation may expire before its session. */
export const endOf = ({ expiresAt, identity }: SessionRecord): number =>
  Math.min(expiresAt, identity.expiresAt ?? Number.POSITIVE_INFINITY);

/** The same for data. Throws TypeError if they are no JSON object. */
export function keptData(data: unknown, maxBytes: number): SessionData | undefined {
  if (!isPlain(data))
    throw new TypeError("The data of a session are an object of JSON, and no promise of one");
  return frozen(copied(data, maxBytes)) as SessionData | undefined;
}

/** Refuses a promise, a Map and the like: their JSON is empty. */
function isPlain(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === null || prototype === Object.prototype;
}

/** Undefined if its JSON is larger. */
function copied(value: unknown, maxBytes: number): unknown {
  const text = JSON.stringify(value);
  return text === undefined || Buffer.byteLength(text) > maxBytes ? undefined : JSON.parse(text);
}

/** Deeply frozen: a store in memory returns the same object to all callers. */
function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

const KINDS: readonly unknown[] = ["expired", "replaced", "unknown"];

/** True if a store returned a valid result. Freezes a record. */
export function isFound(answer: unknown): answer is SessionFound {
  const { kind, record } = (answer ?? {}) as { readonly kind?: unknown; readonly record?: unknown };
  return kind === "live" ? isRecord(record) : KINDS.includes(kind);
}

export function isRecord(record: unknown): record is SessionRecord {
  if (typeof record !== "object" || record === null) return false;
  const { owner, identity, data, version, csrfSecret, ...times } = record as Partial<SessionRecord>;
  const { createdAt, expiresAt, idleUntil } = times;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  frozen(data);
  return (
    ownedIdentity(identity) !== undefined &&
    isKey(owner) &&
    isKey(csrfSecret) &&
    Number.isSafeInteger(version) &&
    [createdAt, expiresAt, idleUntil].every(Number.isFinite)
  );
}

const isKey = (text: unknown): boolean => typeof text === "string" && text.length === 43;
