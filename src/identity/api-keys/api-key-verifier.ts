// Identifies the owner of an API key.
//
// - A malformed key is refused before a look-up or a hash.
// - A key with an unknown id costs as much as one with a wrong secret: both are hashed and compared,
//   an unknown id with a dummy hash. The time of `find` may differ: an id is no secret.
// - Only a caller with the whole key learns that it was revoked or has expired.

import { timingSafeEqual } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier, Verification } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { isThenable } from "#core/thenable.js";
import { apiKeyHash } from "./api-key.js";
import { ApiKeyFormat, isApiKeyId } from "./api-key-format.js";
import { type ApiKeyRecord, type CheckedRecord, checkedRecord } from "./api-key-record.js";

type Found = ApiKeyRecord | null | undefined;

interface Shared {
  /** Prefix of all keys: "acme_live" of "acme_live_3NwUxd8DlkaoKW_...". */
  readonly prefix: string;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
}

/** Source of the keys: a fixed list, or a look-up function. */
export type ApiKeyOptions = Shared &
  (
    | { readonly keys: readonly (ApiKeyRecord & { readonly id: string })[]; readonly find?: never }
    | {
        /**
         * The record with this id; undefined or null if there is none. The id is 14 letters and digits
         * from the request. If it throws, rejects or returns another value, the response is 503.
         */
        readonly find: (id: string, verification: Verification) => MaybePromise<Found>;
        readonly keys?: never;
      }
  );

type Answer = IamIdentity | IamError;
type Records = ReadonlyMap<string, CheckedRecord>;

/**
 * Verifies API keys made by {@link newApiKey}, from their SHA-256 hashes. Wrap it in a cache if
 * `find` queries a database: `cached(new ApiKeyVerifier({ prefix, find }))`.
 */
export class ApiKeyVerifier implements IamVerifier {
  readonly description: string;
  readonly #format: ApiKeyFormat;
  readonly #now: () => number;
  readonly #records: Records | undefined;
  readonly #find: ((id: string, verification: Verification) => MaybePromise<Found>) | undefined;

  /** Throws CONFIG_INVALID. */
  constructor(options: ApiKeyOptions) {
    const call = "ApiKeyVerifier";
    requireKnownOptions(call, options, ["prefix", "keys", "find", "now"]);
    const { prefix, keys, find, now = Date.now } = options;
    if ((keys === undefined) === (find === undefined))
      throw invalidOption(call, "give either keys, a list, or find, a function");
    if (typeof now !== "function")
      throw invalidOption(call, "now must be a function that answers milliseconds");
    if (find !== undefined && typeof find !== "function")
      throw invalidOption(call, "find must be a function that answers the record of an id");
    this.#format = new ApiKeyFormat(prefix, call);
    this.#records = keys === undefined ? undefined : recordsOf(keys, call);
    this.#find = find;
    this.#now = now;
    this.description = `API keys ${prefix}_...`;
  }

  readonly verify = (key: string, verification: Verification): MaybePromise<Answer> => {
    const id = this.#format.idOf(key);
    if (id === undefined) return MALFORMED;
    const hash = Buffer.from(apiKeyHash(key), "latin1");
    if (this.#find === undefined) return this.#judged(hash, this.#records?.get(id));
    let found: MaybePromise<Found>;
    try {
      found = this.#find(id, verification);
    } catch (cause) {
      return unavailable(cause);
    }
    if (!isThenable(found)) return this.#checked(hash, found);
    return Promise.resolve(found).then((record) => this.#checked(hash, record), unavailable);
  };

  #checked(hash: Uint8Array, found: Found): Answer {
    const record = found === undefined || found === null ? undefined : checkedRecord(found);
    if (typeof record === "string") return unavailable(new TypeError(`A record cannot be used: ${record}`));
    return this.#judged(hash, record);
  }

  #judged(hash: Uint8Array, record: CheckedRecord | undefined): Answer {
    const isRight = timingSafeEqual(hash, record?.hash ?? NOBODYS);
    // hole: the id alone would be the key
    if (!isRight || record === undefined) return UNKNOWN;
    // hole: a revoked key would stay good
    if (record.revoked) return REVOKED;
    const { identity } = record;
    return identity.expiresAt === undefined || this.#now() < identity.expiresAt ? identity : EXPIRED;
  }
}

/** Has the length of a hash and equals none: no digit is 0. */
const NOBODYS = new Uint8Array(64);

const MALFORMED = IamError.invalidToken("It has not the form of an API key, or was mistyped");
const UNKNOWN = IamError.invalidToken("There is no such API key");
const REVOKED = IamError.invalidToken("The API key was revoked");
const EXPIRED = IamError.expired();

const unavailable = (cause: unknown): IamError =>
  IamError.verifierUnavailable("API keys cannot be looked up", cause);

function recordsOf(keys: readonly { readonly id: string }[], call: string): Records {
  if (!Array.isArray(keys)) throw invalidOption(call, "keys must be a list of { id, hash, subject, ... }");
  const records = new Map<string, CheckedRecord>();
  for (const [index, key] of keys.entries()) {
    const where = `${call} keys[${index}]`;
    const { id, ...record } = (key ?? {}) as Partial<ApiKeyRecord> & { readonly id?: unknown };
    if (!isApiKeyId(id)) throw invalidOption(where, "its id is not the one that newApiKey answered");
    if (records.has(id)) throw invalidOption(where, `its id ${id} is another one's too`);
    const known = ["hash", "subject", "issuer", "roles", "claims", "expiresAt", "revoked"];
    requireKnownOptions(where, record, known);
    const checked = checkedRecord(record);
    if (typeof checked === "string") throw invalidOption(where, `${checked}; give what newApiKey answered`);
    records.set(id, checked);
  }
  return records;
}
