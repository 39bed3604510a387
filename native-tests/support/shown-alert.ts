import type { LetterCount } from "#inspector/alerts/letter-counts.js";
import type { Alert, Stall } from "#inspector/api/watching.js";

/** An alert as hooks get it. */
export const shownAlert = (changes: Partial<Alert> = {}): Alert => ({
  key: "error_rate:orders",
  kind: "error_rate",
  state: "active",
  severity: "warning",
  circuit: "orders",
  node: null,
  title: "Many runs of 'orders' end in a fault",
  cause: "12.0 % of 350 runs faulted in 60 s; at most 5.0 % may",
  since: 1_000,
  last_at: 2_000,
  resolved_at: null,
  run_ids: ["r1"],
  ...changes,
});

export const stall = (changes: Partial<Stall> = {}): Stall => ({
  run_id: "r1",
  circuit: "c",
  node: "c/n",
  label: "n",
  entered_at: 0,
  stalled_ms: 2000,
  threshold_ms: 1000,
  request: null,
  ...changes,
});

export const letterCount = (changes: Partial<LetterCount> = {}): LetterCount => ({
  circuit: "c",
  node: "c/n",
  label: "n",
  count: 1,
  last_at: 0,
  run_ids: ["r1"],
  ...changes,
});
