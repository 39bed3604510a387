export type { Codec, CodecKeys, EncodedText, Place } from "#core/ports/codec.js";
export { anchorAt, type OpenAuditOptions, openAudit } from "./open-audit.js";
export { openStores, Stores, type StoresOptions } from "./stores.js";
