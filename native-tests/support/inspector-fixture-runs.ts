// Runs as the fixture of the Inspector's page tells them.

import type { Trace, TraceNode, TraceRow } from "../../src/inspector/api/traces.js";
import { placeOrder, randomOf } from "./inspector-fixture-data.js";
import { LABELS, RESUMED_RUN } from "./inspector-fixture-kept.js";

const FAULTS = [
  {
    node: "place-order/customers",
    label: "customers",
    code: "ACCESS_DENIED",
    status: 403,
    title: "Access denied",
    detail: "The policy wants the role customer; the token has viewer",
  },
  {
    node: "place-order/RateLimitGuard",
    label: "RateLimitGuard",
    code: "RATE_LIMITED",
    status: 429,
    title: "Too many requests",
    detail: null,
  },
  {
    node: "place-order/reserve",
    label: "reserve",
    code: "OUT_OF_STOCK",
    status: 409,
    title: "Out of stock",
    detail: "Of K-2 there are 0 left",
  },
] as const;

export function rowOf(n: number, now: number): TraceRow {
  const random = randomOf(n * 7919);
  const fault = n % 9 === 4 ? FAULTS[((n - 4) / 9) % 3] : undefined;
  const duration_us = fault?.status === 429 ? 38 : Math.round(400 + random() ** 6 * 48_000);
  return {
    run_id: `r${(1_000_000 + n * 37).toString(36)}`,
    circuit: "place-order",
    version: "1.4.0",
    status: fault === undefined ? "completed" : "faulted",
    started_at: now - n * 730,
    duration_us,
    ended_at: now - n * 730 + duration_us / 1000,
    node_count: 11,
    request: {
      method: "POST",
      path: "/orders",
      route: "/orders",
      request_id: `req-${n}`,
      trace_id: n % 2 === 0 ? "4bf92f3577b34da6a3ce929d0e0e4736" : null,
      http_status: fault?.status ?? 201,
    },
    goes_on: null,
    fault: fault ?? null,
  };
}

/** A letter was done again in it. */
export const REDRIVEN_RUN = "redriven-run";

/** The oldest of all, which answered no request. */
export const continuedRuns = (now: number): readonly TraceRow[] => [
  {
    ...rowOf(400, now),
    run_id: REDRIVEN_RUN,
    request: null,
    goes_on: { kind: "redrive", id: "dl-1" },
  },
  {
    ...rowOf(401, now),
    run_id: RESUMED_RUN,
    request: null,
    goes_on: { kind: "resume", id: "kept-stopped" },
    labels: LABELS,
  },
];

/** What a step does inside: a call that fails, one that is good, and a query of a program's span. */
const callsOf = (entered_us: number, duration: number): NonNullable<TraceNode["inner"]> => {
  const row = { depth: 0, is_open: false, failed: null, attributes: {}, withheld: [] };
  return [
    {
      ...row,
      kind: "synapse",
      name: "ask stock",
      from_us: entered_us,
      duration_us: duration * 0.2,
      failed: "503",
    },
    {
      ...{ ...row, depth: 1, kind: "http", name: "POST stock.internal/api/", failed: "503" },
      ...{ from_us: entered_us, duration_us: duration * 0.19, withheld: ["url.full"] },
      attributes: { "http.response.status_code": 503 },
    },
    {
      ...{ ...row, kind: "span", name: "pg.query SELECT", from_us: entered_us + duration * 0.7 },
      ...{ duration_us: duration * 0.2, withheld: ["db.query.text"] },
      attributes: { "db.system.name": "postgresql", "db.response.returned_rows": 3 },
    },
    {
      ...{ ...row, kind: "store", name: "AuditSink.append", is_open: true },
      ...{ from_us: entered_us + duration * 0.9, duration_us: duration * 0.1 },
    },
  ];
};

export function traceOf(row: TraceRow): Trace {
  const schematic = placeOrder();
  const stop = schematic.nodes.findIndex(({ id }) => id === row.fault?.node);
  const through = schematic.nodes.filter(
    ({ kind, label }, n) =>
      kind !== "Ingress" &&
      kind !== "Egress" &&
      label !== "release" &&
      label !== "discount" &&
      (stop === -1 || n <= stop),
  );
  const full = (value: unknown) => ({ kind: "full" as const, value, is_cut: false });
  const input = { customer: "Ada", lines: [{ sku: "K-2", qty: 3 }], loyal: false, card: "[redacted]" };
  let at = 0;
  const nodes = through.map((node, n): TraceNode => {
    const isLast = node.id === row.fault?.node;
    const share = node.label === "reserve" ? 0.7 : 0.3 / (through.length - 1);
    const duration = Math.max(2, Math.round(row.duration_us * share * 0.95));
    const retries =
      node.label === "reserve" && row.duration_us > 8000
        ? [{ attempt: 1, at_us: at + duration * 0.2, delay_ms: duration * 0.0004 }]
        : [];
    // A resumed run is kept: it waits for a checkpoint before each step, and at its end.
    const waited_us = row.goes_on?.kind === "resume" ? Math.round(row.duration_us * 0.08) : 0;
    const before = { reason: "checkpoint" as const, from_us: at, waited_us };
    at += waited_us;
    const entered_us = at;
    at += duration + n;
    const after = n === through.length - 1 ? [{ ...before, from_us: at }] : [];
    return {
      ...{
        node: node.id,
        label: node.label,
        kind: node.kind,
        depth: node.kind === "Layer" ? 0 : 1,
        entered_us,
        duration_us: duration,
        held_us: 0,
      },
      ...(waited_us > 0 && { waits: [before, ...after] }),
      ...(retries.length > 0 && { inner: callsOf(entered_us, duration), above_p99_us: 7900 }),
      ...{ outcome: isLast ? ("fault" as const) : ("next" as const), target: null, retries },
      input: { kind: "full", value: { ...input, step: node.label }, is_cut: false },
      output: isLast
        ? { kind: "full", value: { fault: row.fault?.code }, is_cut: false }
        : { kind: "full", value: { order: input, subtotal: 4200 + n }, is_cut: false },
    };
  });
  const waited = nodes.flatMap(({ waits = [] }) => waits).at(-1)?.waited_us ?? 0;
  return {
    run: { ...row, duration_us: Math.max(row.duration_us, at + waited) },
    ...(row.request !== null && {
      exchange: {
        client: {
          address: { kind: "read", text: "192.0.2.7" },
          identity: { kind: "read", text: "ada" },
          pseudonym: { kind: "read", text: "client-4fQz0aP1xY" },
        },
        query: { names: ["coupon"], values: full({ coupon: "SPRING" }) },
        headers: {
          names: ["x-tenant", "authorization"],
          values: full({ "x-tenant": "north" }),
          unread: "The route reads no other headers",
        },
        body: {
          ...{ state: "read", content_type: "application/json", length: 84, keys: ["customer", "lines"] },
          ...{ value: full(input), unread: "" },
        },
        response: {
          headers: { names: ["content-type"], values: full({ "content-type": "application/json" }) },
          body: full(row.fault === null ? { total_cents: 4200 } : { code: row.fault.code }),
          ...{ length: 31, unread: "" },
        },
      },
    }),
    error:
      row.fault?.code === "OUT_OF_STOCK"
        ? { message: "no K-2", stack: "RangeError: no K-2\n    at reserve (stock.js:7:3)", cause: null }
        : null,
    nodes,
    bus: [
      {
        node: "place-order/price",
        access: "read",
        key: "Catalogue",
        value: full({ "K-2": { price_cents: 1400 } }),
      },
      { node: "place-order/price", access: "write", key: "Subtotal", value: full(4200) },
      { node: "place-order/reserve", access: "read", key: "Stock", value: full({ "K-2": 17 }) },
    ],
    events: nodes.map((node) => ({ kind: "node_enter", node: node.node, at_us: node.entered_us })),
    events_dropped: 0,
    logs: [
      {
        at: row.started_at,
        level: "info",
        module: "orders",
        message: "order priced",
        fields: { subtotal: 4200 },
      },
      ...(row.fault === null
        ? []
        : [
            { at: row.started_at + 3, level: "warn", module: "orders", message: row.fault.title, fields: {} },
          ]),
    ],
  };
}
