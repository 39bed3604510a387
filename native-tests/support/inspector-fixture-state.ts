import type { Static } from "@sinclair/typebox";
import type { AuditStatus, ShownAuditEvent } from "../../src/inspector/api/audit.js";
import type { Breakpoint, PausedRun } from "../../src/inspector/api/breakpoints.js";
import type { Route } from "../../src/inspector/api/circuits.js";
import type { DeadLetterRow } from "../../src/inspector/api/dead-letters.js";
import type { LongStep } from "../../src/inspector/api/offload.js";
import type { KeptRun } from "../../src/inspector/api/runs.js";
import type { TraceRow } from "../../src/inspector/api/traces.js";
import type { Alert, Stall } from "../../src/inspector/api/watching.js";
import { auditEvents } from "./inspector-fixture-audit.js";
import { type CircuitLoad, checkout, largeCircuit, placeOrder, routeOf } from "./inspector-fixture-data.js";
import { keptRuns } from "./inspector-fixture-kept.js";
import { rowOf } from "./inspector-fixture-runs.js";

/** What the fixture is asked about. A test changes it as it goes. */
export interface FixtureState {
  loads: CircuitLoad[];
  routes: Route[];
  runs: TraceRow[];
  breakpoints: Breakpoint[];
  paused: PausedRun[];
  letters: DeadLetterRow[];
  /** Whether the stores of letters say how many they have. */
  countsLetters: boolean;
  alerts: Alert[];
  stalls: Stall[];
  longSteps: LongStep[];
  /** Undefined: there is no audit log. */
  audit: Audit | undefined;
  /** The newest first. */
  events: ShownAuditEvent[];
  /** Undefined: no circuit keeps its runs. */
  kept: KeptRun[] | undefined;
  role: "operator" | "viewer";
  feed: "open" | "refused" | "full";
  instance: string;
  /** Paths that answer 500, by their beginning. */
  broken: string[];
  /** Goes up with each answer of figures. */
  beat: number;
}

export type Audit = Static<typeof AuditStatus>["data"];
type Verified = NonNullable<Audit["result"]>;

/** Of a log that is signed and anchored. */
export function auditOf(verified: Partial<Verified>): Audit {
  const mark = { number: 128, timestamp: new Date(Date.now() - 42_000).toISOString(), last: 127_431 };
  return {
    ...{ log: "postgres://shop@db.example/shop", state: "done", events_read: 0 },
    result: {
      ...{ is_sound: true, is_signed: true, verified_at: Date.now() - 9000, duration_ms: 842.4 },
      ...{ events: 127_446, checkpoints: 128, newest: mark, anchored: mark, behind: 15 },
      ...{ failures: [], failure_count: 0, notes: [] },
      ...verified,
    },
  };
}

export function emptyState(): FixtureState {
  return {
    ...{ loads: [], routes: [], runs: [], breakpoints: [], paused: [], letters: [], alerts: [], stalls: [] },
    ...{ longSteps: [], events: [] },
    kept: [],
    audit: auditOf({ events: 0, is_signed: false, newest: null, anchored: null, checkpoints: 0, behind: 0 }),
    countsLetters: true,
    ...{ role: "operator", feed: "open", instance: "i1", broken: [], beat: 0 },
  };
}

export function busyState(): FixtureState {
  const now = Date.now();
  const loads: CircuitLoad[] = [
    { schematic: placeOrder(), perSecond: 412, errorShare: 0.083, us: 2100 },
    { schematic: checkout(), perSecond: 96, errorShare: 0.004, us: 18_400 },
    { schematic: named("read-order"), perSecond: 1880, errorShare: 0, us: 210 },
    { schematic: named("list-products"), perSecond: 22.5, errorShare: 0.0001, us: 640 },
    { schematic: named("cancel-order"), perSecond: 0.2, errorShare: 0, us: 900 },
    { schematic: named("export-ledger"), perSecond: 0, errorShare: 0, us: 0 },
  ];
  return {
    ...emptyState(),
    loads,
    routes: [
      routeOf(placeOrder(), "POST", "/orders"),
      routeOf(checkout(), "POST", "/checkout"),
      routeOf(named("read-order"), "GET", "/orders/:id", false),
    ],
    runs: Array.from({ length: 400 }, (_, n) => rowOf(n, now)),
    paused: [heldRun(now)],
    breakpoints: [breakpointAt(now)],
    letters: Array.from({ length: 3 }, (_, n) => letter(n, now)),
    alerts: alertsAt(now),
    stalls: [stallAt(now)],
    longSteps: longSteps(),
    kept: keptRuns(now),
    audit: auditOf({}),
    events: auditEvents(now),
  };
}

function longSteps(): LongStep[] {
  const step = (circuit: string, label: string, figures: Omit<LongStep, "circuit" | "node" | "label">) => ({
    ...{ circuit, node: `${circuit}/${label}`, label },
    ...figures,
  });
  const of = (calls: number, long_calls: number, mean_us: number | null, longest_us: number) => ({
    ...{ calls, long_calls, mean_us, longest_us },
    gain_us: mean_us === null ? null : mean_us - 100,
  });
  return [
    step("checkout", "bicycle", of(18_240, 17_900, 18_400, 71_300)),
    step("place-order", "price", of(98_200, 6100, 412, 9870)),
    step("list-products", "render", of(0, 0, null, 60_000)),
  ];
}

export function largeState(nodes: number): FixtureState {
  return {
    ...emptyState(),
    loads: [{ schematic: largeCircuit(nodes), perSecond: 500, errorShare: 0.01, us: 900 }],
  };
}

function named(name: string) {
  const schematic = placeOrder();
  const text = JSON.stringify({
    ...schematic,
    nodes: schematic.nodes.slice(0, 9),
    edges: schematic.edges.slice(0, 8),
  });
  return JSON.parse(text.replaceAll("place-order", name)) as ReturnType<typeof placeOrder>;
}

export function heldRun(now: number, id = "h1"): PausedRun {
  return {
    ...{ id, run_id: `run-${id}`, circuit: "place-order", node_id: "place-order/reserve", label: "reserve" },
    breakpoint_id: "b1",
    since: now - 8000,
    until: now + 22_000,
    input: {
      kind: "full",
      value: { customer: "Ada", total: 120, lines: [{ sku: "K-2", qty: 3 }], card: "[redacted]" },
      is_cut: false,
    },
    input_schema: null,
    request: { method: "POST", path: "/orders", request_id: "req-77" },
  };
}

export function breakpointAt(now: number, id = "b1"): Breakpoint {
  return {
    ...{
      id,
      circuit: "place-order",
      node_id: "place-order/reserve",
      label: "reserve",
      condition: "total > 100",
    },
    ...{
      mode: "hold",
      hold_ms: 30_000,
      max_hits: 1,
      hits: 1,
      let_through: 0,
      enabled: false,
      created_at: now - 60_000,
    },
    snapshots: [],
  };
}

function letter(n: number, now: number): DeadLetterRow {
  return {
    ...{ id: `dl-${n}`, kind: n === 2 ? "compensation" : "step", circuit: "place-order", version: "1.4.0" },
    ...{
      node: "place-order/reserve",
      label: n === 2 ? "release" : "reserve",
      failed_at: now - n * 95_000,
      attempts: 3 + n,
      trace_id: n === 0 ? "4bf92f3577b34da6a3ce929d0e0e4736" : null,
      run_id: null,
    },
    error: {
      code: n === 1 ? null : "STOCK_UNREACHABLE",
      title: n === 1 ? "connect ECONNREFUSED" : "The stock does not answer",
    },
    input: { kind: "full", value: { customer: "Ada", lines: [{ sku: "K-2", qty: 3 }] }, is_cut: false },
    undone: n === 0 ? ["place-order/price"] : [],
    events: [],
  };
}

function alertsAt(now: number): Alert[] {
  return [
    {
      ...{
        key: "error_rate:place-order",
        kind: "error_rate",
        state: "active",
        severity: "critical",
        circuit: "place-order",
        node: null,
      },
      title: "Error rate of place-order",
      cause: "8.3 % of 24 720 runs faulted in 60 s; at most 5 % may",
      ...{
        since: now - 190_000,
        last_at: now - 2000,
        resolved_at: null,
        run_ids: [rowOf(4, now).run_id, rowOf(13, now).run_id],
      },
    },
    {
      ...{
        key: "error_rate:checkout",
        kind: "error_rate",
        state: "resolved",
        severity: "warning",
        circuit: "checkout",
        node: null,
      },
      title: "Error rate of checkout",
      cause: "6.1 % of 220 runs faulted in 60 s; at most 5 % may",
      ...{ since: now - 3_600_000, last_at: now - 1_800_000, resolved_at: now - 1_800_000, run_ids: [] },
    },
  ];
}

function stallAt(now: number): Stall {
  return {
    ...{ run_id: "run-s1", circuit: "checkout", node: "checkout/bicycle", label: "bicycle" },
    ...{ entered_at: now - 41_000, stalled_ms: 41_000, threshold_ms: 30_000 },
    request: { method: "POST", path: "/checkout", request_id: "req-9" },
  };
}
