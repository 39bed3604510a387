// Runs that a store keeps, and going on with those that were stopped.

import { isFault } from "#core/outcome.js";
import { bytes, combine, path } from "#http/extractor.js";
import { OneKeptRun, ResumedRun, ResumeRequest, UnfinishedQuery, UnfinishedRuns } from "../api/runs.js";
import { planned } from "../fault.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const NO_RUNS = planned("runs", "No circuit of this server keeps its runs: withPersistenceStore does");

const resumption = optionalJson(ResumeRequest, "A resumption");

export function runEndpoints({ runs: given }: InspectorParts): readonly Endpoint[] {
  const runs = given?.isKept === true ? given : undefined;
  return [
    endpoint<UnfinishedQuery>({
      route: "GET /api/v1/runs",
      role: "viewer",
      summary:
        "Kept runs that have not ended, those that began first first, each with its newest trace where telemetry keeps it",
      takes: UnfinishedQuery,
      gives: UnfinishedRuns,
      run: async (query) =>
        runs === undefined ? NO_RUNS : enveloped("unfinished_runs", await runs.unfinished(query)),
    }),
    endpoint<ById>({
      route: "GET /api/v1/runs/:id",
      role: "viewer",
      summary: "A run that a store keeps: where it is, and its log",
      takes: ById,
      gives: OneKeptRun,
      run: async ({ id }) => {
        const run = runs === undefined ? NO_RUNS : await runs.show(id);
        return isFault(run) ? run : enveloped("run", run);
      },
    }),
    endpoint<{ readonly of: ById; readonly body: Uint8Array }>({
      route: "POST /api/v1/runs/:id/resume",
      role: "operator",
      summary: "Goes on with a kept run that was stopped",
      input: combine({ of: path(ById), body: bytes() }),
      gives: ResumedRun,
      run: async ({ of, body }) => {
        if (runs === undefined) return NO_RUNS;
        const request = resumption(body);
        if (isFault(request)) return request;
        const resumed = await runs.resume(of.id, request);
        return isFault(resumed) ? resumed : enveloped("run_resumed", resumed);
      },
    }),
  ];
}
