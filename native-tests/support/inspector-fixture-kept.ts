// Kept runs of the fixture: one that was stopped, one at work in a living host, one that is being
// compensated, one that was cancelled, one that waits for a signal and one that sleeps.

import { RUN_STATES } from "#core/ports/run-state.js";
import type { KeptRun } from "../../src/inspector/api/runs.js";

const ACTIVE_MS = 60_000;
/** The run that went on with the first of them last. */
export const RESUMED_RUN = "resumed-run";
/** Of both. */
export const LABELS = { order: "1047" };
const HOST = "5d0c6a1e-0000-4000-8000-000000000001";

export function keptRuns(now: number): KeptRun[] {
  return [
    { ...keptRun("kept-stopped", now - 3_600_000), labels: LABELS },
    { ...keptRun("kept-active", now), owner: { host: HOST, is_alive: true } },
    {
      ...keptRun("kept-undoing", now - 600_000),
      is_undoing: true,
      fault: { code: "no-stock", title: "Fault of kind 'no-stock'" },
      entries: [entry("begun", now - 640_000, "place-order/price"), entry("failed", now - 600_000, null)],
    },
    {
      ...keptRun("kept-cancelled", now - 900_000),
      state: "cancelled",
      cancel: { reason: "ordered twice", at: now - 900_000, actor: "operator:3f2a" },
      fault: { code: "RUN_CANCELLED", title: "The run was cancelled" },
    },
    waitingRun("kept-waiting", now, { signals: ["approved", "rejected"], until: now + 3_600_000 }),
    waitingRun("kept-sleeping", now, { signals: [], until: now + 60_000 }),
  ];
}

function waitingRun(run_id: string, now: number, wait: NonNullable<KeptRun["wait"]>): KeptRun {
  const run = keptRun(run_id, now - 120_000);
  const last = run.entries.slice(-1).map((one) => ({ ...one, kind: "waiting", wait }));
  return {
    ...run,
    ...{ state: wait.signals.length > 0 ? "waiting" : "sleeping", wait },
    entries: [...run.entries.slice(0, -1), ...last],
  };
}

const entry = (kind: string, at: number, node: string | null): KeptRun["entries"][number] => ({
  ...{ kind, at, node, wait: null, woken: null },
  epoch: kind === "begun" ? 1 : kind === "resumed" ? 2 : null,
});

function keptRun(run_id: string, last_at: number): KeptRun {
  return {
    ...{ run_id, circuit: "place-order", version: "1.4.0", state: "running", unfit: null },
    ...{ is_undoing: false, owner: null, cancel: null, fault: null, wait: null },
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    newest_run_id: run_id === "kept-stopped" ? RESUMED_RUN : null,
    ...{ began_at: last_at - 40_000, last_at, node: "place-order/reserve", label: "reserve" },
    input: { kind: "full", value: { customer: "Ada", lines: [{ sku: "K-2", qty: 3 }] }, is_cut: false },
    ...{ bus: ["Catalogue", "Subtotal"], completed: ["place-order/price"] },
    entries: [
      entry("begun", last_at - 40_000, "place-order/price"),
      entry("checkpoint", last_at - 39_950, "place-order/rate"),
      entry("resumed", last_at - 2000, "place-order/rate"),
      entry("checkpoint", last_at, "place-order/reserve"),
    ],
    entries_dropped: 0,
  };
}

/** As KeptRuns does: it goes through, where nobody may be at it or that is forced. */
export function resumed(run: KeptRun, force: boolean): "active" | "ended" | "completed" {
  if (RUN_STATES[run.state].isOver) return "ended";
  if (!force && Date.now() - run.last_at < ACTIVE_MS) return "active";
  const at = Date.now();
  Object.assign(run, {
    ...{ state: "completed", last_at: at },
    entries: [...run.entries, entry("resumed", at, run.node), entry("ended", at, null)],
  });
  return "completed";
}

/** One at work, one whose lease ended. */
const hostRows = () => [
  {
    ...{ host: HOST, is_alive: true, beat_ago_ms: 1200, lease_left_ms: 8800, runs: 1 },
    ...{ pid: 4711, machine: "orders-7c9f", axons: [{ name: "place-order", version: "1.4.0" }] },
    ...{ name: "shop", version: "2.3.1", began_at: Date.now() - 3_600_000 },
  },
  {
    ...{ host: "gone", is_alive: false, beat_ago_ms: 61_000, lease_left_ms: 0, runs: 2 },
    ...{ pid: null, machine: null, name: null, version: null, began_at: null, axons: [] },
  },
];

export const hostList = () => ({
  hosts: hostRows(),
  draining: [
    { circuit: "place-order", version: "1.3.0", way: "migrates", runs: 3 },
    { circuit: "place-order", version: "1.2.0", way: "unfit", runs: 1 },
  ],
});
