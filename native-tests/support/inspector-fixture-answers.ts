// The fixture's answers: what the API would say of its state.

import type { Static } from "@sinclair/typebox";
import { hasLabel, labelIn } from "#core/bus/label.js";
import { RUN_STATES } from "#core/ports/run-state.js";
import type { Breakpoint, NewBreakpoint } from "../../src/inspector/api/breakpoints.js";
import type { SampleRequest } from "../../src/inspector/api/circuits.js";
import { isSelected, type RunFilter } from "../../src/inspector/api/run-filter.js";
import type { KeptRun } from "../../src/inspector/api/runs.js";
import type { TraceRow } from "../../src/inspector/api/traces.js";
import { durableHit, letterHit, runHit } from "../../src/inspector/search/facts.js";
import type { Asked } from "./inspector-fixture.js";
import { auditPage, forViewers } from "./inspector-fixture-audit.js";
import { allNodes, metricsOf } from "./inspector-fixture-data.js";
import { hostList, resumed } from "./inspector-fixture-kept.js";
import { REDRIVEN_RUN, traceOf } from "./inspector-fixture-runs.js";
import { breakpointAt, type FixtureState } from "./inspector-fixture-state.js";
import { statusOf } from "./inspector-fixture-status.js";

export interface Answered {
  readonly status: number;
  readonly answer?: unknown;
}

export function answerOf(state: FixtureState, asked: Asked): Answered {
  const { method, path, query } = asked;
  if (state.broken.some((beginning) => path.startsWith(beginning)))
    return problem(500, "Internal Server Error", "INTERNAL", "The store could not be read");
  const [, , , first, second, third] = path.split("/").map(decodeURIComponent);
  switch (`${method} ${path.startsWith("/api/v1/") ? first : path}`) {
    case "GET /status":
      return good("status", statusOf(state));
    case "POST tickets":
      return good("ticket", {
        ...{ ticket: "t1", expires_at: Date.now() + 30_000, role: state.role },
        feed_full: state.feed === "full",
      });
    case "GET metrics":
      state.beat += 1;
      return good("metrics", metricsOf(state.loads, Date.now(), state.beat, query.get("window")));
    case "GET routes":
      return good("routes", { routes: state.routes });
    case "POST routes":
      return ofRoute(state, asked);
    case "GET schematics":
      return schematics(state, second);
    case "GET traces":
      return second === undefined
        ? traces(state, query)
        : second === "diff"
          ? diff(state, query)
          : trace(state, second);
    case "GET refusals":
      return good("refusals", refusals(state));
    case "GET search":
      return found(state, query);
    case "GET paused":
      return good("paused", { paused: state.paused, limit: 16, workers_silent: 0 });
    case "POST paused":
      return released(state, second, third);
    case "GET dlq":
      return letters(state, query);
    case "POST dlq":
      return redriven(state, second);
    case "DELETE dlq":
      state.letters = state.letters.filter(({ id }) => id !== second);
      return { status: 204 };
    case "GET stalls":
      return good("stalls", { stalls: state.stalls, threshold_ms: 30_000, workers_silent: 0 });
    case "GET offload":
      return good("offload_advice", {
        ...{ steps: state.longSteps, not_listed: 0, crossing_us: 100, crossing_calls: 0, workers_silent: 0 },
      });
    case "GET unmatched":
      return good("unmatched", { requests: [], not_kept: 0, workers_silent: 0 });
    case "GET alerts":
      return good("alerts", { alerts: state.alerts, workers_silent: 0 });
    case "GET in-flight":
    case "POST in-flight":
      return inFlight(state, asked, second);
    case "GET hosts":
      return good("hosts", { ...hostList(), stores_unlisted: 0, workers_silent: 0 });
    case "GET runs":
    case "POST runs":
      return kept(state, asked, second, query);
    case "GET audit":
      if (state.audit === undefined)
        return problem(501, "Not Implemented", "CAPABILITY_PLANNED", NO_AUDIT, { capability: "planned" });
      if (second === "verify") return good("audit", state.audit);
      return state.role === "viewer" ? forViewers : good("audit_events", auditPage(state.events, query));
    case "POST relay":
      return relay(state);
    default:
      return method !== "GET" && first === "breakpoints"
        ? changed(state, asked, second)
        : breakpoints(state, first);
  }
}

function letters({ letters, countsLetters }: FixtureState, query: URLSearchParams): Answered {
  const fitting = letters.filter(
    ({ circuit, node }) =>
      circuit === (query.get("circuit") ?? circuit) && node === (query.get("node") ?? node),
  );
  return good("dead_letters", {
    letters: fitting.slice(0, Number(query.get("limit") ?? 100)),
    total: countsLetters ? fitting.length : null,
    workers_silent: 0,
  });
}

const good = (kind: string, data: unknown, status = 200): Answered => ({
  status,
  answer: { api_version: "1.0", kind: `inspector.${kind}.v1`, data },
});

const problem = (
  status: number,
  title: string,
  code: string,
  detail: string,
  members: Readonly<Record<string, unknown>> = {},
): Answered => ({
  status,
  answer: { type: "about:blank", title, status, code, detail, ...members },
});

const unknown = (what: string): Answered => problem(404, "Not Found", "NOT_FOUND", `There is no ${what}`);

function refusals({ runs }: FixtureState) {
  const refused = runs.filter((run) => (run.fault?.status ?? 500) < 500);
  const codes = [...new Set(refused.map(({ fault }) => fault?.code ?? ""))];
  return {
    ...{ runs: refused.length, unmatched: 0, workers_silent: 0 },
    groups: codes.map((value) => {
      return { by: "code", value, count: refused.filter(({ fault }) => fault?.code === value).length };
    }),
  };
}

/** By facts alone; the second page has none. */
function found({ runs, letters, kept = [] }: FixtureState, query: URLSearchParams): Answered {
  const wanted = (query.get("q") ?? "").toLowerCase();
  const isFirst = !query.has("cursor");
  const hits = [
    ...runs.map((run) => runHit(run, wanted)),
    ...letters.map((letter) => letterHit(letter, wanted)),
    ...kept.map((run) => durableHit(run, wanted)),
  ].filter((hit) => hit !== undefined);
  const [oldest] = [...runs].sort((a, b) => a.ended_at - b.ended_at);
  return good("search", {
    facts: isFirst ? hits.slice(0, Number(query.get("limit") ?? 20)) : [],
    ...{ texts: [], capture: "full", failed: [], workers_silent: 0 },
    ...(query.get("in") !== "facts" && isFirst && oldest !== undefined
      ? { searched_until: oldest.ended_at, cursor: "newest.0.1.a-b" }
      : { searched_until: null, cursor: null }),
  });
}

function kept({ kept: runs }: FixtureState, asked: Asked, id: string | undefined, query: URLSearchParams) {
  if (runs === undefined)
    return problem(501, "Not built into this server", "CAPABILITY_PLANNED", NONE_KEPT, {
      ...{ capability: "planned", name: "runs" },
    });
  const unfinished = runs.filter(({ state }) => !RUN_STATES[state].isOver);
  const fitting = unfinished
    .filter(({ circuit }) => (query.get("circuit") ?? circuit) === circuit)
    .filter((run) => isLabelled(run, query));
  if (id === undefined)
    return good("unfinished_runs", {
      runs: fitting.map(
        ({ run_id, circuit, state, node, began_at, last_at, trace_id, owner, wait, labels }) => ({
          ...{
            run_id,
            circuit,
            state,
            node,
            began_at,
            last_at,
            owner,
            wait,
            cancel: null,
            unfit: null,
            trace_id,
          },
          ...(labels && { labels }),
        }),
      ),
      workers_silent: 0,
    });
  const run = runs.find(({ run_id }) => run_id === id);
  if (run === undefined) return unknown("kept run");
  if (asked.method === "GET") return good("run", run);
  const place = { run_id: id, circuit: run.circuit, node: run.node };
  if (asked.path.endsWith("/forget")) {
    runs.splice(runs.indexOf(run), 1);
    return good("run_forgotten", { ...place, result: "forgotten" });
  }
  if (asked.path.endsWith("/wake")) return good("run_woken", { ...place, result: "woken" });
  if (asked.path.endsWith("/signal")) {
    const { name: signal } = asked.body as { readonly name: string };
    return good("run_signalled", { ...place, signal, signal_id: "sent-1", result: "woken" });
  }
  if (asked.path.endsWith("/cancel")) return cancelled(run, place);
  const result = resumed(run, (asked.body as { force?: boolean }).force === true);
  if (result === "completed")
    return good("run_resumed", {
      ...{ ...place, result },
      outcome: { kind: "full", value: { total_cents: 4200 }, is_cut: false },
    });
  return result === "active"
    ? problem(409, "The run may be active", "KEPT_RUN_ACTIVE", "Its log has grown just now", {
        takes_force: true,
      })
    : problem(409, "The run has ended", "KEPT_RUN_ENDED", "It has ended");
}

/** Every held run is in flight, and one more that no breakpoint holds. */
function inFlight(state: FixtureState, { method }: Asked, id: string | undefined): Answered {
  const rows = [
    { run_id: "flying", circuit: "checkout", node_id: "checkout/pay", request: null },
    ...state.paused,
  ].map(({ run_id, circuit, node_id: node, request }) => ({
    ...{ run_id, circuit, began_at: Date.now() - 4200, elapsed_ms: 4200, node, request },
    ...{ path: [`${circuit}:in`, node], is_held: run_id !== "flying" },
    bus: [{ key: "Subtotal", node, value: { kind: "full", value: 4200, is_cut: false } }],
  }));
  const row = rows.find(({ run_id }) => run_id === id);
  if (id !== undefined && row === undefined) return unknown("run in flight");
  if (method === "POST")
    return good("run_aborted", { run_id: id, circuit: row?.circuit, node_id: row?.node });
  if (row !== undefined) return good("in_flight_run", row);
  const listed = rows.map(({ bus, ...run }) => ({ ...run, bus: bus.map(({ key }) => key) }));
  return good("in_flight", { runs: listed, not_listed: 0, workers_silent: 0 });
}

function cancelled(run: KeptRun, place: object): Answered {
  Object.assign(run, { state: "cancelled", last_at: Date.now() });
  const outcome = { kind: "full", value: { code: "RUN_CANCELLED" }, is_cut: false };
  return good("run_cancelled", { ...place, result: "cancelled", outcome });
}

const NO_AUDIT = "This server has no audit log: .stores(openStores(...)) or .audit(sink) gives it one";

const NONE_KEPT = "No circuit of this server keeps its runs: withPersistenceStore does";

function breakpoints(state: FixtureState, first: string | undefined): Answered {
  return first === "breakpoints"
    ? good("breakpoints", { breakpoints: state.breakpoints, limit: 64, workers_silent: 0 })
    : unknown("endpoint");
}

function changed(state: FixtureState, { method, body }: Asked, id: string | undefined): Answered {
  if (method === "DELETE") {
    state.breakpoints = state.breakpoints.filter((one) => one.id !== id);
    return { status: 204 };
  }
  const at = state.breakpoints.findIndex((one) => one.id === id);
  if (method === "PATCH") {
    const next = { ...(state.breakpoints[at] as Breakpoint), ...(body as object) };
    state.breakpoints[at] = next;
    return good("breakpoint", next);
  }
  const { node_id, condition = null, mode = "hold", hold_ms = 20_000, max_hits = 1 } = body as NewBreakpoint;
  const label = node_id.split("/").at(-1) as string;
  const circuit = node_id.split("/")[0] as string;
  const made = {
    ...breakpointAt(Date.now(), `b${state.breakpoints.length + 1}`),
    node_id,
    label,
    circuit,
    condition,
    mode,
    hold_ms,
    max_hits,
  };
  state.breakpoints = [{ ...made, enabled: true, hits: 0 }, ...state.breakpoints];
  return good("breakpoint", state.breakpoints[0], 201);
}

function ofRoute(state: FixtureState, { path, body }: Asked): Answered {
  const { method, path: pattern, mode = "random", seed = 42 } = body as Static<typeof SampleRequest>;
  const route = state.routes.find((one) => one.method === method && one.path === pattern);
  if (route === undefined) return unknown("route");
  const base = { method, path: pattern };
  if (path.endsWith("/schema"))
    return good("route_schema", {
      ...base,
      schema: route.input_schema ?? {},
      template: { customer: "", lines: [] },
    });
  const qty = mode === "edge" ? 0 : 1 + (seed % 7);
  const sample = { customer: `c${seed}`, lines: [{ sku: "K-2", qty }] };
  const note = mode === "edge" ? "/lines/0/qty: below its minimum of 1" : null;
  return good("route_sample", { ...base, mode, seed, sample, is_valid: mode !== "edge", note });
}

const CLASSIFIED = [
  { side: "input", pointer: "/card", level: "restricted", category: "card" },
  { side: "input", pointer: "/lines/*/note", level: "confidential", category: null },
  { side: "output", pointer: "/sku", level: "public", category: null },
];

function schematics({ loads, routes }: FixtureState, name: string | undefined): Answered {
  const rows = loads.map(({ schematic }) => ({
    ...{ name: schematic.name, version: schematic.version, kind: "route", watched: "sampled" },
    routes: routes
      .filter(({ circuit }) => circuit === schematic.name)
      .map(({ method, path }) => `${method} ${path}`),
    node_count: allNodes(schematic).length,
  }));
  if (name === undefined) return good("schematics", { circuits: rows });
  const at = rows.findIndex((row) => row.name === name);
  return at === -1
    ? unknown("circuit")
    : good("schematic", {
        ...{ circuit: rows[at], schematic: loads[at]?.schematic },
        classified: CLASSIFIED.map((field) => ({ ...field, node: `${name}/price` })),
      });
}

const isLabelled = ({ labels }: Pick<TraceRow, "labels">, query: URLSearchParams): boolean => {
  const label = query.get("label");
  return label === null || hasLabel(labels, labelIn(label));
};

function traces({ runs }: FixtureState, query: URLSearchParams): Answered {
  const limit = Number(query.get("limit") ?? 50);
  const from = Number(query.get("cursor") ?? 0);
  const least = Number(query.get("min_duration_us") ?? 0);
  const filter = Object.fromEntries(query) as RunFilter;
  const fits = (run: TraceRow): boolean =>
    (query.get("circuit") ?? run.circuit) === run.circuit &&
    isLabelled(run, query) &&
    isSelected(filter, { ...run, httpStatus: run.request?.http_status }) &&
    (query.get("route") ?? `${run.request?.method} ${run.request?.route}`) ===
      `${run.request?.method} ${run.request?.route}` &&
    run.duration_us >= least;
  const fitting = runs.filter(fits);
  if (query.get("order") === "slowest") fitting.sort((a, b) => b.duration_us - a.duration_us);
  const next = from + limit < fitting.length ? String(from + limit) : null;
  return good("traces", {
    traces: fitting.slice(from, from + limit),
    cursor: next,
    kept: runs.length,
    dropped: 1204,
    workers_silent: 0,
  });
}

function trace({ runs }: FixtureState, id: string): Answered {
  const row = runs.find(({ run_id }) => run_id === id);
  return row === undefined ? unknown("run") : good("trace", traceOf(row));
}

function diff({ runs }: FixtureState, query: URLSearchParams): Answered {
  const [a, b] = ["a", "b"].map((name) => runs.find(({ run_id }) => run_id === query.get(name)));
  if (a === undefined || b === undefined) return unknown("run");
  const [left, right] = [traceOf(a).nodes, traceOf(b).nodes];
  const length = Math.max(left.length, right.length);
  const steps = Array.from({ length }, (_, n) => {
    const [x, y] = [left[n] ?? null, right[n] ?? null];
    const is_same = x?.node === y?.node && x?.outcome === y?.outcome;
    const differs = [{ what: "bus", pointer: "RequestId", is_folded: true }];
    if (!is_same) differs.push({ what: "outcome", pointer: "", is_folded: false });
    return { a: x, b: y, is_same, differs };
  });
  const at = steps.findIndex(({ is_same }) => !is_same);
  const parted =
    at === -1
      ? null
      : {
          at,
          what: "outcome",
          detail: `a left ${left[at]?.label} by ${left[at]?.outcome}, b by ${right[at]?.outcome}`,
        };
  return good("trace_diff", { a, b, parted, steps });
}

function released(state: FixtureState, id: string | undefined, how: string | undefined): Answered {
  const run = state.paused.find((one) => one.id === id);
  if (run === undefined) return unknown("held run");
  state.paused = state.paused.filter((one) => one !== run);
  return good("released", {
    ...{ id: run.id, run_id: run.run_id, circuit: run.circuit, node_id: run.node_id, how },
    held_ms: Date.now() - run.since,
  });
}

const NOT_SEEN = { trace_id: null, run_id: null };

function redriven(state: FixtureState, id: string | undefined): Answered {
  const letter = state.letters.find((one) => one.id === id);
  if (letter === undefined) return unknown("dead letter");
  if (id === "dl-slow")
    return good("redriven", {
      ...{ id, circuit: letter.circuit, node: letter.node },
      result: "running",
      outcome: null,
      ...NOT_SEEN,
      run_id: state.paused[0]?.run_id,
    });
  const isDone = id !== "dl-1";
  // One that failed again failed last.
  state.letters = [...state.letters.filter((one) => one !== letter), ...(isDone ? [] : [letter])];
  return good("redriven", {
    ...{ id, circuit: letter.circuit, node: letter.node },
    result: isDone ? "done" : "failed",
    outcome: isDone ? { total_cents: 4200 } : { fault: "ECONNREFUSED" },
    trace_id: "b7ad6b7169203331b7ad6b7169203331",
    run_id: REDRIVEN_RUN,
  });
}

function relay({ runs }: FixtureState): Answered {
  return good("relay", {
    ...{ status: 201, encoding: "json", duration_ms: 3.4, run_id: runs[0]?.run_id ?? null },
    headers: [
      ["content-type", "application/json"],
      ["x-request-id", "req-0"],
    ],
    body: { customer: "c42", total_cents: 4200 },
  });
}
