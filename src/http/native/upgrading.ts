import type { NativeSocketData, NativeUpgrade } from "./port.js";

/** What an upgrade is made of. */
export interface Upgrading {
  readonly data: NativeSocketData;
  readonly key: string;
  /** "" for none. */
  readonly protocol: string;
  /** What the client offered; "" where nothing is to be taken. */
  readonly extensions: string;
  readonly context: NativeUpgrade;
}
