import { type Static, Type } from "@sinclair/typebox";

import { isFault } from "#core/bus/outcome.js";
import type { CircuitReport } from "#telemetry/metrics/metrics-report.js";
import { inspectorFault, planned } from "../api/fault.js";
import { Refusals, RefusalsQuery } from "../api/refusals.js";
import { Found, SearchQuery } from "../api/search.js";
import { Name } from "../api/shapes.js";
import { OneTrace, type Trace, TraceDiff, TraceDiffQuery, TraceQuery, Traces } from "../api/traces.js";
import { mergedHits } from "../search/search.js";
import { forViewers } from "../traces/kept-trace.js";
import { comparePlaces, cursorText, placeOf } from "../traces/trace-cursor.js";
import { diffOf } from "../traces/trace-diff.js";
import { DEFAULT_LIMIT } from "../traces/trace-store.js";
import { mergedRefusals, refusalsIn } from "../unmatched/refusals.js";
import { type Endpoint, endpoint, having } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

export const ById = Type.Object({ id: Name }, { additionalProperties: false });
export type ById = Static<typeof ById>;

const NO_TRACES = planned("traces", "This server keeps no runs");

export function traceEndpoints({
  traces,
  search,
  metrics,
  unmatched,
  peers,
  now,
}: InspectorParts): readonly Endpoint[] {
  const one = endpoint(
    {
      route: "GET /api/v1/traces/:id",
      role: "viewer",
      summary: "One run: timeline, accesses of the Bus, captured payloads",
      takes: ById,
      gives: OneTrace,
      across: { owner: "TRACE_UNKNOWN" },
      run: having(traces, NO_TRACES, async (kept, { id }, { role }) => {
        const trace = kept.get(id);
        if (trace === undefined)
          return inspectorFault("TRACE_UNKNOWN", {
            detail: `Run '${id}' was evicted, was not sampled, or is still running`,
          });
        const shown = role === "operator" ? trace : forViewers(trace);
        return withSlow(shown, await metrics?.circuit(trace.run.circuit, "start"));
      }),
    },
    peers,
  );
  return [
    endpoint(
      {
        route: "GET /api/v1/traces",
        role: "viewer",
        summary: "Stored runs, the newest or the slowest first, in pages",
        takes: TraceQuery,
        gives: Traces,
        across: {
          merged: (own, others, { input: { order = "newest", limit = DEFAULT_LIMIT } }) => {
            const all = [own, ...others];
            const found = all
              .flatMap(({ traces: rows }) => rows)
              .sort((a, b) => comparePlaces(placeOf(order, a), placeOf(order, b)));
            const page = found.slice(0, limit);
            const last = page.at(-1);
            const isMore = found.length > limit || all.some(({ cursor }) => cursor !== null);
            return {
              ...own,
              traces: page,
              cursor: isMore && last !== undefined ? cursorText(order, placeOf(order, last)) : null,
              kept: all.reduce((sum, { kept }) => sum + kept, 0),
              dropped: all.reduce((sum, { dropped }) => sum + dropped, 0),
            };
          },
        },
        run: having(traces, NO_TRACES, (kept, query, { role }) => kept.query(query, role)),
      },
      peers,
    ),
    endpoint({
      route: "GET /api/v1/traces/diff",
      role: "viewer",
      summary: "The first difference of two runs",
      takes: TraceDiffQuery,
      gives: TraceDiff,
      run: async ({ a, b }, caller) => {
        const [first, second] = await Promise.all([one.ask({ id: a }, caller), one.ask({ id: b }, caller)]);
        if (isFault(first)) return first;
        if (isFault(second)) return second;
        return diffOf(first, second, { hashes: processOf(a) === processOf(b) });
      },
    }),
    one,
    endpoint(
      {
        route: "GET /api/v1/refusals",
        role: "viewer",
        summary: "What stored refused runs and unmatched requests have in common",
        takes: RefusalsQuery,
        gives: Refusals,
        across: { merged: (own, others) => mergedRefusals([own, ...others]) },
        run: having(traces, NO_TRACES, (kept, { window = "start" }, { role }) =>
          refusalsIn({ traces: kept, unmatched, now: now() }, window, role),
        ),
      },
      peers,
    ),
    endpoint(
      {
        route: "GET /api/v1/search",
        role: "viewer",
        summary: "Runs, durable runs, letters and unmatched requests by id, name, label or text",
        takes: SearchQuery,
        gives: Found,
        across: { merged: (own, others, { input: { limit } }) => mergedHits([own, ...others], limit) },
        run: having(search, NO_TRACES, (all, query, caller) => all.find(query, caller)),
      },
      peers,
    ),
  ];
}

/** A percentile of fewer is their largest. */
const MIN_SAMPLES = 100;
/** Percentiles are exact to 1/64. */
const EXACT = 1 + 1 / 64;

/** Marks the visits that took longer than the p99 of their node. */
function withSlow(trace: Trace, figures: CircuitReport | undefined): Trace {
  if (figures === undefined) return trace;
  const p99s = new Map(
    figures.nodes.map(({ node, windows: [window] }) => [
      node,
      window !== undefined && window.samples >= MIN_SAMPLES ? window.latency?.p99_us : undefined,
    ]),
  );
  const nodes = trace.nodes.map((visit) => {
    const p99 = p99s.get(visit.node);
    const isSlow = p99 !== undefined && visit.duration_us - visit.held_us > p99 * EXACT;
    return isSlow ? { ...visit, above_p99_us: p99 } : visit;
  });
  return { ...trace, nodes };
}

/** The prefix of a run id identifies its process (TracedRun.runId). */
const processOf = (runId: string): string | undefined => runId.split("-")[0];
