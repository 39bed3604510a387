// Entries of logs, as the contracts of run stores append them.

import type { RunEntry } from "#core/ports/run-store.js";

const position = (n: number) => ({ node: `orders/${n}`, input: { n }, bus: { Total: n }, jumps: 0 });
export const begun = (fields: Partial<RunEntry> = {}): RunEntry =>
  ({ kind: "begun", at: 1, axon: "orders", version: "1.0.0", ...position(0), ...fields }) as RunEntry;
export const checkpoint = (n: number): RunEntry => ({
  kind: "checkpoint",
  at: 1 + n,
  completed: [{ node: "orders/pay", input: null, output: [n] }],
  ...position(n),
});
export const ended: RunEntry = { kind: "ended", at: 9, output: "done" };
export const stuck: RunEntry = { kind: "stuck", at: 9 };
export const resumed = (fields: Partial<RunEntry> = {}): RunEntry =>
  ({ kind: "resumed", at: 2, version: "1.0.0", ...position(0), ...fields }) as RunEntry;
export const listedAs = (id: string, fields: object = {}) => ({
  id,
  axon: "orders",
  version: "1.0.0",
  began_at: 1,
  at: 1,
  entries: 1,
  ...fields,
});

export const DAY_MS = 86_400_000;
