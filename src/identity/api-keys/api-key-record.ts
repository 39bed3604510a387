import type { IamIdentity } from "#core/iam/iam-identity.js";
import { ownedIdentity } from "#core/iam/owned-identity.js";
import type { Json } from "#core/wire/json-text.js";

/** What is kept of an API key: nothing that lets anybody in. */
export interface ApiKeyRecord {
  /** As {@link newApiKey} said it: 64 hexadecimal digits in lower case. */
  readonly hash: string;
  /** Whose key it is. Rates are limited by it: keys that are to be limited apart need subjects of their own. */
  readonly subject: string;
  readonly issuer?: string;
  /** Default: none. */
  readonly roles?: readonly string[];
  /** Default: none. */
  readonly claims?: Readonly<Record<string, Json>>;
  /** Milliseconds since 1970. Default: it does not end. */
  readonly expiresAt?: number;
  readonly revoked?: boolean;
}

/** A record that was looked at. */
export interface CheckedRecord {
  /** The hash's digits as bytes, to be compared in constant time. */
  readonly hash: Uint8Array;
  readonly identity: IamIdentity;
  readonly revoked: boolean;
}

const HASH = /^[0-9a-f]{64}$/;

/** A text says what is wrong with it. No value is quoted: it may be a key in the wrong place. */
export function checkedRecord(record: unknown): CheckedRecord | string {
  if (typeof record !== "object" || record === null) return "it is no object";
  const { hash, revoked = false, subject, expiresAt } = record as Partial<ApiKeyRecord>;
  if (typeof hash !== "string" || !HASH.test(hash)) return "its hash is not 64 small hexadecimal digits";
  // "false", say, from a column of texts: nobody can tell what was meant.
  if (typeof revoked !== "boolean") return "its revoked is neither true nor false";
  if (typeof subject !== "string" || subject === "") return "it has no subject";
  if (expiresAt !== undefined && !Number.isFinite(expiresAt)) return "its expiresAt is no number";
  const identity = identityOf(record as ApiKeyRecord);
  if (identity === undefined) return "its issuer, roles or claims are none";
  return { hash: Buffer.from(hash, "latin1"), identity, revoked };
}

/** Of copies: identities are frozen, and a record is somebody's own. */
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
    // A function, say, which cannot be copied.
    return undefined;
  }
}
