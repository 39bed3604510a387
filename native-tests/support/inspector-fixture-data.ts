// What the fixture of the Inspector's page tells: three circuits as they could be, and any
// figures, runs and letters of them. The same for each call: what is random has a seed.

import type { Static } from "@sinclair/typebox";
import type { NodeKind, Schematic, SchematicEdge, SchematicNode } from "../../src/core/flow/schematic.js";
import type { Route } from "../../src/inspector/api/circuits.js";
import type {
  CircuitMetrics,
  Metrics,
  NodeMetrics,
  Percentiles,
  Window,
} from "../../src/inspector/api/metrics.js";

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type NodeFacts = Partial<Omit<SchematicNode, "id" | "kind" | "label">>;

const nodeOf = (circuit: string, kind: NodeKind, label: string, facts: NodeFacts = {}): SchematicNode => {
  const id =
    kind === "Ingress" ? `${circuit}:in` : kind === "Egress" ? `${circuit}:out` : `${circuit}/${label}`;
  return { id, kind, label, ...facts };
};

const line = (nodes: readonly SchematicNode[]): SchematicEdge[] =>
  nodes.slice(1).map((node, n) => ({ from: (nodes[n] as SchematicNode).id, to: node.id, kind: "Linear" }));

const ORDER = {
  type: "object",
  required: ["customer", "lines"],
  properties: {
    customer: { type: "string", minLength: 1 },
    total: { type: "number" },
    loyal: { type: "boolean" },
    lines: {
      type: "array",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, qty: { type: "integer", minimum: 1 } },
      },
    },
  },
} as const;

export function placeOrder(): Schematic {
  const n = (kind: NodeKind, label: string, facts: NodeFacts = {}) =>
    nodeOf("place-order", kind, label, facts);
  const schema = { input_schema: ORDER as never };
  const price = n("Atom", "price", {
    ...schema,
    description: "Adds up the lines by the catalogue",
    bus_capability: { reads: ["Catalogue"], writes: ["Subtotal"], may_read: [], may_write: [], deletes: [] },
    source_location: { file: "examples/orders/place-order.ts", line: 9 },
  });
  const rate = n("Atom", "rate", schema);
  const reserve = n("Atom", "reserve", {
    ...schema,
    retry: { max_retries: 3, backoff: "exponential from 50 ms" },
    timeout_ms: 2000,
    compensation_node_id: "place-order/release",
  });
  const accept = n("Atom", "accept", { ...schema, emits: ["OrderAccepted"] });
  const chain = [
    n("Ingress", "place-order"),
    n("Layer", "requestId"),
    n("Guard", "AccessLogGuard"),
    n("Guard", "RateLimitGuard"),
    n("Iam", "customers", {
      iam: {
        policy: "role customer",
        rule: { kind: "role", role: "customer" },
        verifier: "JWT, HS256",
        token: "Authorization",
      },
    }),
    n("Guard", "IdempotencyGuard"),
    price,
    rate,
    reserve,
    accept,
    n("Egress", "place-order"),
  ];
  const discount = { ...n("Atom", "discount", schema), id: "place-order/rate:loyal/discount" };
  const release = n("Atom", "release");
  return {
    schema_version: "1.0",
    id: "place-order",
    name: "place-order",
    version: "1.4.0",
    nodes: [...chain, discount, release],
    edges: [
      ...line(chain),
      { from: rate.id, to: discount.id, kind: "Branch", label: "loyal" },
      { from: discount.id, to: reserve.id, kind: "Linear" },
      { from: reserve.id, to: price.id, kind: "Jump", label: "price" },
      { from: reserve.id, to: release.id, kind: "Compensation" },
    ],
  };
}

export function checkout(): Schematic {
  const n = (kind: NodeKind, label: string, facts: NodeFacts = {}) => nodeOf("checkout", kind, label, facts);
  const inner = [
    nodeOf("checkout/pay", "Ingress", "pay"),
    nodeOf("checkout/pay", "Atom", "authorise"),
    nodeOf("checkout/pay", "Synapse", "charge the card"),
    nodeOf("checkout/pay", "Egress", "pay"),
  ];
  const pay: Schematic = {
    schema_version: "1.0",
    id: "checkout/pay",
    name: "pay",
    version: "1.0.0",
    nodes: inner,
    edges: line(inner),
  };
  const [entrance, fan, join, last, end] = [
    n("Ingress", "checkout"),
    n("FanOut", "quotes", { strategy: "AnyCanFail" }),
    n("FanIn", "cheapest"),
    n("Subgraph", "pay", { schematic: pay }),
    n("Egress", "checkout"),
  ];
  const couriers = ["northern post", "harbour couriers", "bicycle"].map((label) =>
    n("Synapse", label, { timeout_ms: 300 }),
  );
  const guards = [
    n("Guard", "CorsGuard"),
    n("Iam", "sessions", {
      iam: { policy: "anyone known", rule: { kind: "identity" }, verifier: "sessions", token: "cookie sid" },
    }),
  ];
  const head = [entrance, ...guards, fan];
  return {
    schema_version: "1.0",
    id: "checkout",
    name: "checkout",
    version: "2.0.1",
    nodes: [...head, ...couriers, join, last, end],
    edges: [
      ...line(head),
      ...couriers.flatMap(({ id }): SchematicEdge[] => [
        { from: fan.id, to: id, kind: "Parallel" },
        { from: id, to: join.id, kind: "Linear" },
      ]),
      ...line([join, last, end]),
    ],
  };
}

/** A long one with branches: for what has to stay quick. */
export function largeCircuit(count: number): Schematic {
  const steps = Array.from({ length: count }, (_, n) => nodeOf("large", "Atom", `step ${n}`));
  const edges = line(steps.filter((_, n) => n % 4 !== 3));
  for (let n = 3; n < count; n += 4) {
    edges.push({ from: `large/step ${n - 1}`, to: `large/step ${n}`, kind: "Branch", label: `to ${n}` });
    if (n + 2 < count) edges.push({ from: `large/step ${n}`, to: `large/step ${n + 2}`, kind: "Linear" });
  }
  return { schema_version: "1.0", id: "large", name: "large", version: "1", nodes: steps, edges };
}

export function allNodes({ nodes }: Schematic): readonly SchematicNode[] {
  return nodes.flatMap((node) =>
    node.schematic === undefined ? [node] : [node, ...allNodes(node.schematic)],
  );
}

/** Around a median. */
function percentilesOf(us: number): Percentiles {
  const at = (factor: number) => Math.round(us * factor * 100) / 100;
  return {
    p50_us: at(1),
    p90_us: at(1.8),
    p95_us: at(2.4),
    p99_us: at(4.2),
    p99_9_us: at(9),
    max_us: at(14),
    mean_us: at(1.2),
  };
}

/** Of so many runs a second; `us` is the median. */
function windowsOf(perSecond: number, us: number, errorShare: number, refusedShare = 0): Window[] {
  return ([1, 10, 60, 600, null] as const).map((seconds) => {
    const length = seconds ?? 3723;
    const count = Math.round(perSecond * length);
    const [errors, refused] = [Math.round(count * errorShare), Math.round(count * refusedShare)];
    return {
      seconds,
      count,
      per_second: count / length,
      ...{ faults: errors + refused, errors, refused },
      error_share: count === 0 ? 0 : errors / count,
      samples: count,
      latency: count === 0 ? null : percentilesOf(us),
    };
  });
}

export interface CircuitLoad {
  readonly schematic: Schematic;
  readonly perSecond: number;
  readonly errorShare: number;
  /** Median of its slowest step. */
  readonly us: number;
}

export function metricsOf(
  loads: readonly CircuitLoad[],
  at: number,
  beat = 0,
  window: string | null = null,
): Static<typeof Metrics>["data"] {
  const total = loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const isAsked = ({ seconds }: Window) =>
    window === null ? seconds !== null && seconds <= 60 : String(seconds ?? "start") === window;
  const whole: Static<typeof Metrics>["data"] = {
    at,
    processes: 1,
    http: {
      windows: windowsOf(total, 820, 0.03),
      by_route: loads.flatMap(({ schematic, perSecond }) => {
        const route = `/${schematic.name.split("-").at(-1)}s`;
        return (["2xx", "4xx"] as const).map((status_class) => {
          return { method: "POST", route, status_class, total: Math.round(perSecond * 60) };
        });
      }),
      in_flight: 7,
    },
    process: {
      pid: 4711,
      uptime_ms: 3_723_000,
      cpu_share: 0.41,
      heap_used_bytes: 48_400_000,
      heap_limit_bytes: 2_197_815_296,
      rss_bytes: 121_000_000,
      loop_delay_p99_us: 1240,
      loop_utilisation: 0.38,
    },
    circuits: loads.map((load) => circuitOf(load, at, beat)),
    pool: {
      ...{ threads: 3, running: 2, waiting: 5, queue: 256 },
      steps: [
        {
          step: "render-label",
          jobs: 4211,
          ends: [
            { end: "done", count: 4208 },
            { end: "POOL_MEMORY", count: 2 },
            { end: "WORKER_CRASHED", count: 1 },
          ],
          waited: percentilesOf(420),
          ran: percentilesOf(18_000),
        },
      ],
    },
  };
  return JSON.parse(JSON.stringify(whole), (key, value) =>
    key === "windows" ? value.filter(isAsked) : value,
  );
}

function circuitOf(
  { schematic, perSecond, errorShare, us }: CircuitLoad,
  at: number,
  beat: number,
): CircuitMetrics {
  const random = randomOf(schematic.name.length + beat);
  const nodes = allNodes(schematic).map((node, n): NodeMetrics => {
    const isSlim = ["Guard", "Layer", "Iam", "Ingress", "Egress"].includes(node.kind);
    const refuses =
      node.label === "RateLimitGuard" ? errorShare * 0.6 : node.kind === "Iam" ? errorShare * 0.25 : 0;
    const fails = node.label === "reserve" ? errorShare * 0.15 : 0;
    const share = node.id.includes(":loyal") ? 0.2 : 1;
    const median = isSlim ? 4 : node.label === "reserve" ? us : us * (0.05 + (n % 7) * 0.06);
    const windows = windowsOf(perSecond * share, median * (0.9 + random() * 0.2), fails, refuses);
    return { node: node.id, label: node.label, kind: node.kind, total: 120_000, total_faults: 3200, windows };
  });
  const history = Array.from({ length: 60 }, (_, n) => {
    const count = Math.round(perSecond * (0.7 + random() * 0.6));
    const faults = Math.round(count * errorShare);
    return { at: at - (59 - n) * 1000, count, faults, errors: Math.round(faults * 0.15), p99_us: us * 4 };
  });
  return {
    circuit: schematic.name,
    version: schematic.version,
    total: 120_000,
    total_faults: 3200,
    in_flight: perSecond > 0 ? 3 : 0,
    windows: windowsOf(perSecond, us * 1.6, errorShare * 0.15, errorShare * 0.85).map((window) => ({
      ...window,
      ...{ refused_input: 0, aborted: 0 },
    })),
    history,
    nodes,
  };
}

export function routeOf(schematic: Schematic, method: string, path: string, hasBody = true): Route {
  return {
    ...{ method, path, circuit: schematic.name, layers: ["requestId"], guards: ["RateLimitGuard"] },
    iam: {
      policy: "role customer",
      verifier: "JWT, HS256",
      token: "Authorization",
      weakened: null,
      counts: {},
    },
    ...{
      body_type: hasBody ? "application/json" : null,
      input_schema: hasBody ? (ORDER as never) : null,
      parameters_schema: hasBody
        ? null
        : ({ type: "object", properties: { id: { type: "integer" } } } as never),
      input_from: hasBody ? ["body"] : [],
      output_schema: null,
    },
    nodes: allNodes(schematic)
      .filter(({ input_schema }) => input_schema !== undefined)
      .map(({ id, label, input_schema }) => ({
        node: id,
        label,
        input_schema: input_schema ?? null,
        output_schema: null,
      })),
    ...{ summary: null, tags: [], body_limit: 1_048_576, is_web_socket: false },
  };
}
