// What goes into a store of sessions, and what may come out of one.

import { hash } from "node:crypto";

import type { IamIdentity } from "#core/iam/iam-identity.js";
import { ownedIdentity, verifiedName } from "#core/iam/owned-identity.js";
import type { SessionData, SessionFound, SessionRecord } from "#core/ports/session-store.js";

/** Of who is logged in: what an application keeps of a user goes in the data. */
const MAX_IDENTITY_BYTES = 16_384;

/** What all sessions of a subject have in common. */
export const ownerOf = ({ subject, issuer }: Pick<IamIdentity, "subject" | "issuer">): string => {
  const name = verifiedName({ subject, roles: [], claims: {}, ...(issuer !== undefined && { issuer }) });
  return hash("sha256", name, "base64url");
};

/**
 * A copy as a store would answer it; undefined for what is too large. Throws TypeError for what is
 * no identity. Programs give a user's row, which has more members than an identity: none is kept.
 */
export function keptIdentity(given: unknown): IamIdentity | undefined {
  const { subject, issuer, roles, claims, expiresAt } = (given ?? {}) as Partial<IamIdentity>;
  // JSON has no number for never.
  const end = expiresAt === Number.POSITIVE_INFINITY ? undefined : expiresAt;
  const copy = copied({ subject, issuer, roles, claims, expiresAt: end }, MAX_IDENTITY_BYTES);
  if (copy === undefined) return undefined;
  const kept = ownedIdentity(copy);
  if (kept === undefined)
    throw new TypeError("There is no identity to log in: it is JSON, { subject, roles: [], claims: {} }");
  return kept;
}

/** When it ends, whatever happens: an identity that came by a rotation may be over before its session. */
export const endOf = ({ expiresAt, identity }: SessionRecord): number =>
  Math.min(expiresAt, identity.expiresAt ?? Number.POSITIVE_INFINITY);

/** The same of data. Throws TypeError for what is no object of JSON. */
export function keptData(data: unknown, maxBytes: number): SessionData | undefined {
  if (!isPlain(data))
    throw new TypeError("The data of a session are an object of JSON, and no promise of one");
  return frozen(copied(data, maxBytes)) as SessionData | undefined;
}

/** A promise, a Map and the like have a JSON too, in which nothing is left of them. */
function isPlain(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === null || prototype === Object.prototype;
}

/** Undefined where its JSON has more bytes. */
function copied(value: unknown, maxBytes: number): unknown {
  const text = JSON.stringify(value);
  return text === undefined || Buffer.byteLength(text) > maxBytes ? undefined : JSON.parse(text);
}

/** To the last level: a store in memory hands the same object to all. */
function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

const KINDS: readonly unknown[] = ["expired", "replaced", "unknown"];

/** Whether a store answered what it may. Freezes a record. */
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
