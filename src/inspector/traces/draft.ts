// What is kept of a run while it is under way.

import type { KeptAccess, KeptLine, KeptValue } from "./kept-trace.js";

/** Of all captured values and lines of one run. */
export const MAX_CAPTURED_BYTES = 256 * 1024;

export interface Draft {
  readonly values: KeptValue[];
  readonly accesses: KeptAccess[];
  readonly lines: KeptLine[];
  bytes: number;
  /** Of the logs that its steps have. */
  readonly origins: object[];
}

export const emptyDraft = (): Draft => ({ values: [], accesses: [], lines: [], bytes: 0, origins: [] });

/** Of a run of which nothing was seen but its events. */
export const NOTHING = emptyDraft();
