// What is kept of a run while it goes on.

import { HiddenTexts } from "#schema/hidden-texts.js";
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
  /** What was masked of its values, for it may come again under another name. */
  readonly hidden: HiddenTexts;
  /** Whether there was a value for which there was no room: nobody knows what was secret in it. */
  isCut: boolean;
  /** False where that is not all: no value and no line of it is kept. */
  readonly isKnown: boolean;
}

export const emptyDraft = (isKnown: boolean): Draft => ({
  values: [],
  accesses: [],
  lines: [],
  bytes: 0,
  origins: [],
  hidden: new HiddenTexts(),
  isCut: false,
  isKnown,
});

/** Of a run of which nothing was seen but its events. */
export const NOTHING = emptyDraft(true);

/** Whether all of its values were looked at, and all that is secret in them is known by now. */
export const isWhole = (draft: Draft): boolean =>
  draft !== NOTHING && !draft.isCut && draft.bytes < MAX_CAPTURED_BYTES && !draft.hidden.isFull;
