// Kept runs of the fixture: one that was stopped, one that somebody is at, one that is undone.

import type { KeptRun } from "../../src/inspector/api/runs.js";

const ACTIVE_MS = 60_000;
/** The run that went on with the first of them last. */
export const RESUMED_RUN = "resumed-run";
/** Of both. */
export const LABELS = { order: "1047" };

export function keptRuns(now: number): KeptRun[] {
  return [
    { ...keptRun("kept-stopped", now - 3_600_000), labels: LABELS },
    keptRun("kept-active", now),
    {
      ...keptRun("kept-undoing", now - 600_000),
      state: "undoing",
      entries: [
        { kind: "begun", at: now - 640_000, node: "place-order/price" },
        { kind: "failed", at: now - 600_000, node: null },
      ],
    },
  ];
}

function keptRun(run_id: string, last_at: number): KeptRun {
  return {
    ...{ run_id, circuit: "place-order", version: "1.4.0", state: "unfinished", unfit: null },
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    newest_run_id: run_id === "kept-stopped" ? RESUMED_RUN : null,
    ...{ began_at: last_at - 40_000, last_at, node: "place-order/reserve", label: "reserve" },
    input: { kind: "full", value: { customer: "Ada", lines: [{ sku: "K-2", qty: 3 }] }, is_cut: false },
    ...{ bus: ["Catalogue", "Subtotal"], completed: ["place-order/price"] },
    entries: [
      { kind: "begun", at: last_at - 40_000, node: "place-order/price" },
      { kind: "checkpoint", at: last_at - 39_950, node: "place-order/rate" },
      { kind: "resumed", at: last_at - 2000, node: "place-order/rate" },
      { kind: "checkpoint", at: last_at, node: "place-order/reserve" },
    ],
    entries_dropped: 0,
  };
}

/** As KeptRuns does: it goes through, where nobody may be at it or that is forced. */
export function resumed(run: KeptRun, force: boolean): "active" | "ended" | "completed" {
  if (run.state === "completed" || run.state === "faulted") return "ended";
  if (!force && Date.now() - run.last_at < ACTIVE_MS) return "active";
  const at = Date.now();
  Object.assign(run, {
    ...{ state: "completed", last_at: at },
    entries: [...run.entries, { kind: "resumed", at, node: run.node }, { kind: "ended", at, node: null }],
  });
  return "completed";
}
