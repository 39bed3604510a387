export type { Codec, CodecKeys, EncodedText, Place } from "#core/ports/codec.js";
export {
  type EncryptedStore,
  type EncryptStoreOptions,
  encryptStore,
} from "./encrypt-store.js";
export { anchorAt, type OpenAuditOptions, openAudit } from "./open-audit.js";
export { openSubjectKeys, type SubjectKeysOptions } from "./open-subject-keys.js";
export { openStores, type StoreAddresses, Stores, type StoresOptions } from "./stores.js";
export type { SqlSubjectKeys } from "./subjects/sql-subject-keys.js";
