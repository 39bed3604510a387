// Stored runs: listed, shown, resumed, cancelled.

import { isFault } from "#core/bus/outcome.js";
import { respond } from "#core/bus/reply.js";
import { bytes, combine, json, path } from "#http/input/extractor.js";
import { planned } from "../api/fault.js";
import {
  CancelledRun,
  CancelRequest,
  OneKeptRun,
  ResumedRun,
  ResumeRequest,
  UnfinishedQuery,
  UnfinishedRuns,
} from "../api/runs.js";
import { actorOf } from "../operators/operator-log.js";
import { type Endpoint, endpoint, enveloped } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

interface Continued {
  readonly run_id: string;
  readonly circuit: string | null;
  readonly node: string | null;
  readonly result: string;
}

const NO_RUNS = planned("runs", "No circuit of this server keeps its runs: withPersistenceStore does");

/** Fields of the audit event. */
const factsOf = ({ run_id, circuit, node: node_id, result }: Continued) => ({
  run_id,
  circuit,
  node_id,
  result,
});

const resumption = optionalJson(ResumeRequest, "A resumption");

export function runEndpoints({ runs: given, operators }: InspectorParts): readonly Endpoint[] {
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
      run: async ({ of: { id }, body }, by) => {
        if (runs === undefined) return NO_RUNS;
        const request = resumption(body);
        if (isFault(request)) return request;
        const action = { action: "inspector.run.resume", target: id } as const;
        const resume = () => runs.resume(id, request, actorOf(by));
        const resumed = await operators.acted(by, action, resume, factsOf);
        return isFault(resumed) ? resumed : enveloped("run_resumed", resumed);
      },
    }),
    endpoint<{ readonly of: ById; readonly request: CancelRequest }>({
      route: "POST /api/v1/runs/:id/cancel",
      role: "operator",
      summary: "Fails a kept run that has not ended, and undoes what it completed",
      input: combine({ of: path(ById), request: json(CancelRequest) }),
      gives: CancelledRun,
      run: async ({ of: { id }, request }, by) => {
        if (runs === undefined) return NO_RUNS;
        const action = { action: "inspector.run.cancel", target: id, intent: request.reason } as const;
        const cancel = () => runs.cancel(id, request, actorOf(by));
        const cancelled = await operators.acted(by, action, cancel, factsOf);
        if (isFault(cancelled)) return cancelled;
        const body = enveloped("run_cancelled", cancelled);
        return cancelled.result === "cancelling" ? respond({ status: 202, body }) : body;
      },
    }),
  ];
}
