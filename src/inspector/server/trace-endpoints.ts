import { type Static, Type } from "@sinclair/typebox";

import { isFault } from "#core/bus/outcome.js";
import { planned } from "../api/fault.js";
import { Name } from "../api/shapes.js";
import { OneTrace, TraceDiff, TraceDiffQuery, TraceQuery, Traces } from "../api/traces.js";
import { forViewers } from "../traces/kept-trace.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import type { InspectorParts } from "./parts.js";

export const ById = Type.Object({ id: Name }, { additionalProperties: false });
export type ById = Static<typeof ById>;

const NO_TRACES = planned("traces", "This server keeps no runs");

export const traceEndpoints = ({ traces }: InspectorParts): readonly Endpoint[] => [
  endpoint<TraceQuery>({
    route: "GET /api/v1/traces",
    role: "viewer",
    summary: "Runs that are kept, the newest or the slowest first, page by page",
    takes: TraceQuery,
    gives: Traces,
    run: async (query) => {
      const page = traces === undefined ? NO_TRACES : await traces.query(query);
      return isFault(page) ? page : enveloped("traces", page);
    },
  }),
  endpoint<Static<typeof TraceDiffQuery>>({
    route: "GET /api/v1/traces/diff",
    role: "viewer",
    summary: "Where two runs parted",
    takes: TraceDiffQuery,
    gives: TraceDiff,
    run: async ({ a, b }) => {
      const diff = traces === undefined ? NO_TRACES : await traces.diff(a, b);
      return isFault(diff) ? diff : enveloped("trace_diff", diff);
    },
  }),
  endpoint<ById>({
    route: "GET /api/v1/traces/:id",
    role: "viewer",
    summary: "One run whole: its timeline, its accesses of the Bus, its payloads as far as they are captured",
    takes: ById,
    gives: OneTrace,
    run: async ({ id }, { role }) => {
      const trace = traces === undefined ? NO_TRACES : await traces.get(id);
      if (isFault(trace)) return trace;
      return enveloped("trace", role === "operator" ? trace : forViewers(trace));
    },
  }),
];
