export type { Codec } from "./codec.js";
export { openStores, Stores, type StoresOptions } from "./stores.js";
