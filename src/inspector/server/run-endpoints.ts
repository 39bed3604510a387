// Stored runs: listed, shown, begun, resumed, cancelled, forgotten. Only the first worker reads a store that processes
// share. Runs in the memory of a process are listed and resumed in that process.

import { randomUUID } from "node:crypto";

import { isFault } from "#core/bus/outcome.js";
import { respond } from "#core/bus/reply.js";
import { bytes, combine, json, path } from "#http/input/extractor.js";
import { planned } from "../api/fault.js";
import {
  CancelledRun,
  CancelRequest,
  ForgottenRun,
  Hosts,
  OneKeptRun,
  ResumedRun,
  ResumeRequest,
  RunList,
  RunListQuery,
  SignalledRun,
  SignalRequest,
  StartedRun,
  StartRequest,
  UnfinishedQuery,
  UnfinishedRuns,
  WokenRun,
} from "../api/runs.js";
import { actorOf } from "../operators/operator-log.js";
import { halved } from "../peers/across.js";
import { type Endpoint, endpoint, having, readingEndpoint } from "./endpoint.js";
import { optionalJson } from "./optional-json.js";
import type { InspectorParts } from "./parts.js";
import { ById } from "./trace-endpoints.js";

const DEFAULT_LIMIT = 100;

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

export function runEndpoints({ runs, operators, peers: all }: InspectorParts): readonly Endpoint[] {
  const peers = runs?.isPerProcess === true ? all : undefined;
  const unknown = "KEPT_RUN_UNKNOWN";
  const has = async ({ of: { id } }: { readonly of: ById }) => (await runs?.has(id)) === true;
  return [
    endpoint(
      {
        route: "GET /api/v1/runs",
        role: "viewer",
        summary: "Unfinished durable runs, the oldest first, each with its newest stored trace",
        takes: UnfinishedQuery,
        gives: UnfinishedRuns,
        across: {
          merged: (own, others, { input: { limit = DEFAULT_LIMIT } }) => ({
            ...own,
            runs: [own, ...others]
              .flatMap(({ runs: rows }) => rows)
              .sort((one, other) => one.began_at - other.began_at)
              .slice(0, limit),
          }),
        },
        run: having(runs, NO_RUNS, async (kept, query, { role }) => ({
          runs: await kept.unfinished(query, role === "operator"),
          workers_silent: 0,
        })),
      },
      peers,
    ),
    endpoint(
      {
        route: "GET /api/v1/run-list",
        role: "viewer",
        summary: "Durable runs in every state, ended ones too, the newest first, in pages",
        takes: RunListQuery,
        gives: RunList,
        across: {
          merged: (own, others, { input: { limit = DEFAULT_LIMIT } }) => ({
            ...own,
            cursor: others.length > 0 ? null : own.cursor,
            runs: [own, ...others]
              .flatMap(({ runs: rows }) => rows)
              .sort((one, other) => other.began_at - one.began_at)
              .slice(0, limit),
          }),
        },
        run: having(runs, NO_RUNS, async (kept, query, { role }) => {
          const listed = await kept.list(query, role === "operator");
          return isFault(listed) ? listed : { ...listed, workers_silent: 0 };
        }),
      },
      peers,
    ),
    endpoint(
      {
        route: "GET /api/v1/runs/:id",
        role: "viewer",
        summary: "One durable run: its position and its log",
        takes: ById,
        gives: OneKeptRun,
        across: { owner: unknown },
        run: having(runs, NO_RUNS, (kept, { id }, { role }) => kept.show(id, role === "operator")),
      },
      peers,
    ),
    endpoint(
      {
        route: "GET /api/v1/hosts",
        role: "viewer",
        summary:
          "Processes on the same stores: their applications, leases, last beats, versions and durable runs",
        gives: Hosts,
        across: {
          merged: (own, others) => ({
            ...own,
            hosts: [own, ...others].flatMap(({ hosts }) => hosts),
          }),
          shortened: halved("hosts"),
        },
        run: having(runs, NO_RUNS, async (kept) => ({ ...(await kept.hosts()), workers_silent: 0 })),
      },
      peers,
    ),
    readingEndpoint(
      // The audit log names it before it begins.
      (request) => ({ run_id: randomUUID(), ...request }),
      {
        route: "POST /api/v1/runs",
        role: "operator",
        summary: "Begins a durable run of a circuit with an input",
        takes: StartRequest,
        gives: StartedRun,
        run: having(runs, NO_RUNS, (kept, request, by) =>
          kept.start(request, operators.intervention(actorOf(by))),
        ),
        acted: (act, { run_id: target }, by) =>
          operators.acted(by, { action: "inspector.run.start", target }, act, (done) => ({ ...done })),
      },
      peers,
    ),
    readingEndpoint(
      resumption,
      {
        route: "POST /api/v1/runs/:id/resume",
        role: "operator",
        summary: "Resumes an interrupted durable run",
        input: combine({ of: path(ById), body: bytes() }),
        gives: ResumedRun,
        across: { owner: unknown, has },
        run: having(runs, NO_RUNS, (kept, { of: { id }, request }, by) =>
          kept.resume(id, request, operators.intervention(actorOf(by))),
        ),
        acted: (act, { of: { id } }, by) =>
          operators.acted(by, { action: "inspector.run.resume", target: id }, act, factsOf),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/runs/:id/cancel",
        role: "operator",
        summary: "Cancels an unfinished durable run and undoes its completed steps",
        input: combine({ of: path(ById), request: json(CancelRequest) }),
        gives: CancelledRun,
        across: { owner: unknown, has },
        run: having(runs, NO_RUNS, (kept, { of: { id }, request }, by) =>
          kept.cancel(id, request, operators.intervention(actorOf(by))),
        ),
        acted: (act, { of: { id }, request }, by) => {
          const action = { action: "inspector.run.cancel", target: id, intent: request.reason } as const;
          return operators.acted(by, action, act, factsOf);
        },
        statuses: [202],
        responds: ({ result }, body) => (result === "cancelling" ? respond({ status: 202, body }) : body),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/runs/:id/signal",
        role: "operator",
        summary: "Sends a signal to a durable run, with a payload of the signal's schema",
        input: combine({ of: path(ById), request: json(SignalRequest) }),
        gives: SignalledRun,
        across: { owner: unknown, has },
        run: having(runs, NO_RUNS, (kept, { of: { id }, request }, by) =>
          kept.signal(id, request, operators.intervention(actorOf(by))),
        ),
        acted: (act, { of: { id } }, by) =>
          operators.acted(by, { action: "inspector.run.signal", target: id }, act, (done) => ({
            ...factsOf(done),
            ...{ signal: done.signal, signal_id: done.signal_id },
          })),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/runs/:id/wake",
        role: "operator",
        summary: "Ends the time for which a durable run sleeps, or waits at most",
        input: combine({ of: path(ById) }),
        gives: WokenRun,
        across: { owner: unknown, has },
        run: having(runs, NO_RUNS, (kept, { of: { id } }, by) =>
          kept.wake(id, operators.intervention(actorOf(by))),
        ),
        acted: (act, { of: { id } }, by) =>
          operators.acted(by, { action: "inspector.run.wake", target: id }, act, factsOf),
      },
      peers,
    ),
    endpoint(
      {
        route: "POST /api/v1/runs/:id/forget",
        role: "operator",
        summary: "Deletes a durable run that has ended, with its history",
        input: combine({ of: path(ById) }),
        gives: ForgottenRun,
        across: { owner: unknown, has },
        run: having(runs, NO_RUNS, (kept, { of: { id } }, by) =>
          kept.forget(id, operators.intervention(actorOf(by))),
        ),
        acted: (act, { of: { id } }, by) =>
          operators.acted(by, { action: "inspector.run.forget", target: id }, act, factsOf),
      },
      peers,
    ),
  ];
}
