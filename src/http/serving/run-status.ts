// The status route of kept runs, for clients of detached routes.

import { type Static, Type } from "@sinclair/typebox";
import { namedKey } from "#core/bus/bus-key.js";
import { fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { respond } from "#core/bus/reply.js";
import { faultCodes } from "#core/error-codes.js";
import { PathParams } from "#core/facts/ingress-facts.js";
import { mode } from "#core/mode.js";
import { endedRun } from "#core/ports/run-waits.js";
import { Axon } from "#runtime/axon/axon.js";
import type { RunResult, ServedRuns } from "#runtime/hosting/served-runs.js";

/** Key of the served runs; absent if no Axon is kept. */
export const ServedRunsKey = namedKey<ServedRuns, "framework:runs">("framework:runs");

const UNKNOWN = new ProblemDetail({ code: "RUN_UNKNOWN", ...faultCodes.RUN_UNKNOWN });
const UNAVAILABLE = new ProblemDetail({
  ...{ status: 503, code: "RUN_STATUS_UNAVAILABLE" },
  title: "The store of runs cannot be asked at the moment",
});

const Until = Type.Optional(
  Type.Integer({ description: "When it goes on by itself, in milliseconds since 1970." }),
);

/** The output of a run is of any type: the route that began it has its schema. */
const RunStatus = Type.Union(
  [
    Type.Object({
      run_id: Type.String(),
      state: Type.Union([Type.Literal("running"), Type.Literal("stuck")]),
    }),
    Type.Object({
      run_id: Type.String(),
      state: Type.Literal("waiting"),
      for: Type.Array(
        Type.String({ description: "The name of a signal, or `run`: the end of another run." }),
      ),
      until: Until,
    }),
    Type.Object({ run_id: Type.String(), state: Type.Literal("sleeping"), until: Until }),
    Type.Object({
      run_id: Type.String(),
      state: Type.Literal("unfit"),
      reason: Type.Optional(
        Type.String({ description: "Why no code of the server can resume it. Outside production." }),
      ),
    }),
    Type.Object({
      run_id: Type.String(),
      state: Type.Literal("completed"),
      output: Type.Optional(
        Type.Unknown({ description: "Absent with output_kept, and for a run without one." }),
      ),
      output_kept: Type.Optional(Type.Literal(false)),
    }),
    Type.Object({
      run_id: Type.String(),
      state: Type.Union([Type.Literal("failed"), Type.Literal("cancelled")]),
      code: Type.String(),
      error: Type.Optional(Type.Unknown({ description: "Outside production." })),
    }),
  ],
  { title: "Run status" },
);

type RunStatus = Static<typeof RunStatus>;

export const runStatus = Axon.start("run-status")
  .thenFn(
    "status",
    async (_, bus) => {
      const [id = ""] = Object.values(bus.get(PathParams));
      try {
        const result = await bus.find(ServedRunsKey)?.result(id);
        return result === undefined || result.kind === "unknown" ? fault(UNKNOWN) : statusOf(id, result);
      } catch {
        // The readiness probe and the run host report the failure of the store.
        return fault(UNAVAILABLE);
      }
    },
    { reads: [PathParams], mayRead: [ServedRunsKey], responses: [UNKNOWN, UNAVAILABLE] },
  )
  .withOutputSchema(RunStatus);

type KnownResult = Exclude<RunResult, { readonly kind: "unknown" }>;

/** The status document. A failed run shows the code of its fault, and outside production the fault. */
function statusOf(id: string, result: KnownResult) {
  const headers = { "cache-control": "no-store", ...retryAfter[result.kind] };
  return respond({ headers, body: bodyOf(id, result) });
}

/** In seconds, for clients that poll. */
const retryAfter: { readonly [K in RunResult["kind"]]?: { readonly "retry-after": string } } = {
  running: { "retry-after": "1" },
  waiting: { "retry-after": "10" },
  sleeping: { "retry-after": "10" },
};

function bodyOf(id: string, result: KnownResult): RunStatus {
  const { kind } = result;
  switch (kind) {
    case "completed": {
      const kept = result.isOutputKept ? { output: result.output } : { output_kept: false as const };
      return { run_id: id, state: kind, ...kept };
    }
    case "failed":
    case "cancelled": {
      const { error } = result;
      return { run_id: id, state: kind, code: codeOf(error), ...(!mode.production && { error }) };
    }
    case "waiting": {
      const names = result.signals.map((name) => (endedRun(name) === undefined ? name : "run"));
      return { run_id: id, state: kind, for: names, ...untilOf(result) };
    }
    case "sleeping":
      return { run_id: id, state: kind, ...untilOf(result) };
    case "unfit":
      return { run_id: id, state: kind, ...(!mode.production && { reason: result.reason }) };
    default:
      return { run_id: id, state: kind };
  }
}

const untilOf = ({ until }: { readonly until?: number }): { readonly until?: number } =>
  until === undefined ? {} : { until };

function codeOf(error: unknown): string {
  const { code, kind } = (typeof error === "object" && error !== null ? error : {}) as Readonly<
    Record<string, unknown>
  >;
  return ([code, kind].find((name) => typeof name === "string") as string | undefined) ?? "RUN_FAILED";
}
