import assert from "node:assert/strict";

import { type Fault, isFault } from "framework";

export const errorOf = (outcome: unknown): unknown => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return (outcome as Fault<unknown>).error;
};
export const codeOf = (outcome: unknown): unknown => (errorOf(outcome) as { readonly code: string }).code;
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
