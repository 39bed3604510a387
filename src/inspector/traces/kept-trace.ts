// The stored form of a traced run. Rows and waterfalls are derived when read.

import type { RunLabels } from "#core/bus/label.js";
import type { BusAccess } from "#core/timeline/recorder.js";
import type { TimelineEvent } from "#core/timeline/timeline.js";
import type { PlainObject } from "#telemetry/logging/plain-value.js";
import type { GoesOn, Trace, TraceRow } from "../api/traces.js";
import type { DrawnNodes } from "./drawn-nodes.js";
import type { FaultReason, SeenError } from "./fault-reason.js";
import { type KeptRow, rowForViewers, rowsByVisit } from "./inner-rows.js";
import { exchangeOf, type KeptExchange, withoutClient } from "./kept-exchange.js";
import { type Captured, costOf, OFF, payloadOf } from "./payload-capture.js";
import { visitsOf } from "./visits.js";

export interface KeptValue {
  readonly node: string;
  readonly side: "input" | "output";
  readonly captured: Captured;
}

export interface KeptAccess {
  readonly node: string;
  readonly access: BusAccess;
  readonly key: string;
  readonly captured: Captured | undefined;
}

export type KeptLine = Trace["logs"][number];

export type RunSummary = Pick<KeptTrace, "circuit" | "startedAt" | "durationUs">;

export interface KeptTrace {
  /** Of the run in this process. */
  readonly number: number;
  readonly runId: string;
  readonly circuit: string;
  readonly version: string;
  status: TraceRow["status"];
  readonly startedAt: number;
  readonly durationUs: number;
  readonly request: Omit<NonNullable<TraceRow["request"]>, "http_status"> | null;
  /** Known later than the rest. */
  httpStatus: number | null;
  /** Null for a run that answers no request. */
  exchange: KeptExchange | null;
  goesOn: GoesOn | null;
  readonly labels?: RunLabels | undefined;
  fault: (FaultReason & { readonly node: string }) | null;
  error: SeenError | null;
  readonly events: readonly TimelineEvent[];
  readonly eventsDropped: number;
  readonly nodeCount: number;
  readonly values: readonly KeptValue[];
  readonly accesses: readonly KeptAccess[];
  /** Work inside its nodes. */
  inner: readonly KeptRow[];
  innerDropped: number;
  /** Reports of the framework about its response are added later. */
  lines: readonly KeptLine[];
  /** Memory that it takes, estimated rather too high. */
  bytes: number;
}

// Measured: native-tests/heavy/memory/kept-traces.test.ts holds them against the heap.
export const BASE_BYTES = 1200;
export const EVENT_BYTES = 120;
export const ACCESS_BYTES = 72;
const VALUE_BYTES = 72;
const LINE_BYTES = 200;

export const lineBytesOf = (line: KeptLine): number => LINE_BYTES + 2 * JSON.stringify(line).length;

export const labelBytes = (labels: RunLabels | undefined): number =>
  labels === undefined ? 0 : 2 * JSON.stringify(labels).length;

export const bytesOf = ({
  events,
  values,
  accesses,
  lines,
  request,
  fault,
  error,
  labels,
}: Omit<KeptTrace, "bytes">): number =>
  BASE_BYTES +
  labelBytes(labels) +
  EVENT_BYTES * events.length +
  values.reduce((sum, { captured }) => sum + VALUE_BYTES + costOf(captured), 0) +
  accesses.reduce((sum, { captured }) => sum + ACCESS_BYTES + costOf(captured), 0) +
  lines.reduce((sum, line) => sum + lineBytesOf(line), 0) +
  (request === null ? 0 : 2 * (request.path.length + request.request_id.length)) +
  (fault === null
    ? 0
    : 2 * (fault.title.length + (fault.detail?.length ?? 0) + (fault.pointers ?? []).join("").length)) +
  (error === null ? 0 : 2 * (error.message.length + error.stack.length + (error.cause?.length ?? 0)));

export function rowOf(kept: KeptTrace, nodes: DrawnNodes, endedAt: number): TraceRow {
  const { request, fault, circuit, labels } = kept;
  return {
    run_id: kept.runId,
    circuit,
    version: kept.version,
    status: kept.status,
    started_at: kept.startedAt,
    duration_us: kept.durationUs,
    ended_at: endedAt,
    node_count: kept.nodeCount,
    request: request && { ...request, http_status: kept.httpStatus },
    goes_on: kept.goesOn,
    ...(labels && { labels }),
    fault: fault && { ...fault, label: nodes.of(circuit, fault.node).label },
  };
}

export function traceOf(kept: KeptTrace, nodes: DrawnNodes, endedAt: number): Trace {
  const { circuit, events, eventsDropped, inner, innerDropped, values, accesses, lines } = kept;
  const inputs = inTurns(values, "input");
  const outputs = inTurns(values, "output");
  const visits = visitsOf(events);
  const rows = rowsByVisit(inner, visits);
  const shown = visits.map((visit) => ({
    node: visit.node,
    ...nodes.of(circuit, visit.node),
    depth: visit.depth,
    entered_us: visit.entered_us,
    duration_us: visit.exited_us - visit.entered_us,
    held_us: visit.held_us,
    outcome: visit.outcome,
    target: visit.target,
    retries: visit.retries,
    ...(visit.waits.length > 0 && { waits: visit.waits }),
    ...(rows.has(visit) && { inner: [...(rows.get(visit) ?? [])] }),
    input: payloadOf(inputs.get(visit.node)?.[visit.turn]),
    output: payloadOf(outputs.get(visit.node)?.[visit.exit]),
  }));
  return {
    run: rowOf(kept, nodes, endedAt),
    ...(kept.exchange && { exchange: exchangeOf(kept.exchange, shown) }),
    nodes: shown,
    bus: firstOfEach(accesses).map(({ node, access, key, captured }) => ({
      ...{ node, access, key },
      value: captured === undefined ? OFF : payloadOf(captured),
    })),
    events: events as readonly Readonly<Record<string, unknown>>[] as Record<string, unknown>[],
    events_dropped: eventsDropped,
    ...(innerDropped > 0 && { inner_dropped: innerDropped }),
    error: kept.error,
    logs: [...lines],
  };
}

/** Without the texts of exceptions, and without the client. */
export const forViewers = (trace: Trace): Trace => ({
  ...withoutClient(trace),
  nodes: trace.nodes.map((node) => (node.inner ? { ...node, inner: node.inner.map(rowForViewers) } : node)),
  error: null,
  logs: trace.logs.map(withoutErrorTexts),
});

/** The captured values of each node, in their order. */
function inTurns(values: readonly KeptValue[], side: KeptValue["side"]): Map<string, Captured[]> {
  const found = new Map<string, Captured[]>();
  for (const value of values) {
    if (value.side !== side) continue;
    const known = found.get(value.node);
    if (known === undefined) found.set(value.node, [value.captured]);
    else known.push(value.captured);
  }
  return found;
}

/** Leaves out accesses that are repeated, as in a loop; writes of other values stay. */
function firstOfEach(accesses: readonly KeptAccess[]): readonly KeptAccess[] {
  const seen = new Set<string>();
  return accesses.filter(({ node, access, key, captured }) => {
    const place = JSON.stringify([node, access, key, access === "write" ? captured : null]);
    if (seen.has(place)) return false;
    seen.add(place);
    return true;
  });
}

const LEVELS: ReadonlyMap<unknown, string> = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);

/** A longer line is kept without its fields. */
const MAX_LINE = 8192;
const MAX_MESSAGE = 1000;

/** A line of the log as a trace has it, masked when it was written; undefined if it is no JSON. */
export function keptLine(line: string): KeptLine | undefined {
  try {
    const { level, time, module, msg, request_id, trace_id, span_id, ...fields } = JSON.parse(line);
    return {
      at: Number(time),
      level: LEVELS.get(level) ?? String(level),
      module: typeof module === "string" ? module : null,
      message: String(msg ?? "").slice(0, MAX_MESSAGE),
      fields: line.length <= MAX_LINE ? (fields as PlainObject) : {},
    };
  } catch {
    return undefined;
  }
}

function messageWithout(line: KeptLine, type: unknown, text: unknown): string {
  // A line that is given an error alone has its message.
  if (line.message === text) return String(type);
  // A report of the framework quotes it behind its first colon.
  const at = line.module === "framework" ? line.message.indexOf(":") : -1;
  return at < 0 ? line.message : `${line.message.slice(0, at)}: ${String(type ?? "a fault")}`;
}

/** Without the texts of an exception: its class and its code are left. */
export function withoutErrorTexts(line: KeptLine): KeptLine {
  const { err, ...fields } = line.fields as PlainObject;
  if (typeof err !== "object" || err === null || Array.isArray(err)) return line;
  const { type = null, code = null, message } = err as PlainObject;
  return {
    ...line,
    message: messageWithout(line, type, message),
    fields: { ...fields, err: { type, code } },
  };
}
