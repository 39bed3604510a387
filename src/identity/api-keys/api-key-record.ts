import type { IamIdentity } from "#core/iam/iam-identity.js";
import { ownedIdentity } from "#core/iam/owned-identity.js";
import type { Json } from "#core/wire/json-text.js";

/** The stored part of an API key: it does not suffice to authenticate. */
export interface ApiKeyRecord {
  /** `hash` of {@link newApiKey}: 64 lower-case hexadecimal digits. */
  readonly hash: string;
  /** Owner of the key. Rate limits count by it: keys with separate limits need separate subjects. */
  readonly subject: string;
  readonly issuer?: string;
  /** Default: none. */
  readonly roles?: readonly string[];
  /** Default: none. */
  readonly claims?: Readonly<Record<string, Json>>;
  /** Milliseconds since 1970. Default: no expiry. */
  readonly expiresAt?: number;
  readonly revoked?: boolean;
}

/** A validated record. */
export interface CheckedRecord {
  /** The digits of the hash as bytes, for comparison in constant time. */
  readonly hash: Uint8Array;
  readonly identity: IamIdentity;
  readonly revoked: boolean;
}

const HASH = /^[0-9a-f]{64}$/;

/** Returns a text if the record is invalid. It quotes no value, which may be a misplaced key. */
export function checkedRecord(record: unknown): CheckedRecord | string {
  if (typeof record !== "object" || record === null) return "it is no object";
  const { hash, revoked = false, subject, expiresAt } = record as Partial<ApiKeyRecord>;
  if (typeof hash !== "string" || !HASH.test(hash)) return "its hash is not 64 small hexadecimal digits";
  // A text such as "false" from a database is ambiguous.
  if (typeof revoked !== "boolean") return "its revoked is neither true nor false";
  if (typeof subject !== "string" || subject === "") return "it has no subject";
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) return "its expiresAt is no number";
  const identity = identityOf(record as ApiKeyRecord);
  if (identity === undefined) return "its issuer, roles or claims are none";
  return { hash: Buffer.from(hash, "latin1"), identity, revoked };
}

/** Copies the record, which belongs to the application: identities are frozen. */
function identityOf({
  subject,
  issuer,
  roles = [],
  claims,
  expiresAt,
}: ApiKeyRecord): IamIdentity | undefined {
  if (!Array.isArray(roles)) return undefined;
  try {
    return ownedIdentity({
      subject,
      ...(issuer !== undefined && { issuer }),
      roles: [...roles],
      claims: claims === undefined ? {} : structuredClone(claims),
      ...(expiresAt !== undefined && { expiresAt }),
    });
  } catch {
    // For instance a function, which cannot be cloned.
    return undefined;
  }
}
