export type { Codec } from "./codec.js";
export { anchorAt, type OpenAuditOptions, openAudit } from "./open-audit.js";
export { openStores, Stores, type StoresOptions } from "./stores.js";
