import fc from "fast-check";

import type { KeptTrace } from "#inspector/traces/kept-trace.js";

/** A stored run with these facts, and else an ordinary one. */
export const keptTrace = (facts: Partial<KeptTrace> & { readonly number: number }): KeptTrace => ({
  runId: `run-${facts.number}`,
  circuit: "orders",
  version: "1.0.0",
  status: "completed",
  startedAt: 1_700_000_000_000,
  durationUs: 100,
  request: null,
  httpStatus: null,
  goesOn: null,
  exchange: null,
  fault: null,
  error: null,
  events: [],
  eventsDropped: 0,
  nodeCount: 0,
  values: [],
  accesses: [],
  inner: [],
  innerDropped: 0,
  lines: [],
  bytes: 1000,
  ...facts,
});

export const denied = (node: string) => ({ node, code: "DENIED", status: 403, title: "no", detail: null });

/** Runs in the order in which they ended: of few circuits, causes and durations, so that they meet. */
export const keptTraces = (maxLength: number): fc.Arbitrary<readonly KeptTrace[]> =>
  fc
    .array(
      fc.record({
        circuit: fc.constantFrom("orders", "stock", "mail"),
        durationUs: fc.integer({ min: 0, max: 50 }),
        cause: fc.constantFrom(undefined, undefined, "guard", "step"),
        bytes: fc.integer({ min: 500, max: 30_000 }),
        pauseMs: fc.nat({ max: 20 }),
      }),
      { maxLength },
    )
    .map((runs) => {
      let startedAt = 1_700_000_000_000;
      return runs.map(({ cause, pauseMs, ...run }, number) => {
        startedAt += pauseMs;
        const fault = cause === undefined ? null : denied(cause);
        return keptTrace({ number, startedAt, fault, ...run, status: fault ? "faulted" : "completed" });
      });
    });
