import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Codec } from "#core/ports/codec.js";
import { databaseOf } from "./database-of.js";
import { STORE_FORMS, storeUrl } from "./sql/store-url.js";
import { SqlSubjectKeys } from "./subjects/sql-subject-keys.js";

export interface SubjectKeysOptions {
  /** Encrypts the keys: an `EncryptionHook`. */
  readonly codec: Codec;
}

/**
 * Keys of persons for `sealedAudit`, in a database apart from the audit log's. Opens nothing before the
 * first call. Throws CONFIG_INVALID for `memory:`, and without a codec that encrypts.
 */
export function openSubjectKeys(url: string, options: SubjectKeysOptions): SqlSubjectKeys {
  requireKnownOptions("openSubjectKeys", options, ["codec"]);
  const { codec } = options;
  if (codec?.encrypts !== true)
    throw invalidOption("openSubjectKeys", "codec must encrypt: give it new EncryptionHook({ keys })");
  const parsed = storeUrl(url, { call: "openSubjectKeys", forms: STORE_FORMS });
  if (parsed.kind === "memory")
    throw invalidOption("openSubjectKeys", "memory: loses the keys with its process: give a database");
  return new SqlSubjectKeys(databaseOf(parsed, {}), codec, parsed.shown);
}
