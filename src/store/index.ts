export { anchorAt, type OpenAuditOptions, openAudit } from "./open-audit.js";
export type { Codec } from "./sql/codec.js";
export { openStores, Stores, type StoresOptions } from "./stores.js";
