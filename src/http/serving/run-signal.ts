// The route by which clients send signals to kept runs.
//
//   RS1. A caller that `allow` refuses gets the response for an unknown run, whatever the run's state is.
//   RS2. If the ingress verifies callers, `allow` is required: permission to begin a run is no permission
//        to approve it.

import { type Static, Type } from "@sinclair/typebox";
import { fault, isFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { respond } from "#core/bus/reply.js";
import { faultCodes, refusalCodes } from "#core/error-codes.js";
import { header, PathParams, VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { AnySignal } from "#core/flow/signal.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { verifiedName } from "#core/iam/owned-identity.js";
import { isKeptRunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { SentSignal } from "#runtime/hosting/sent-signal.js";
import { hashedSubject } from "#runtime/run/subject.js";
import { ServedRunsKey } from "./run-status.js";

/** A run that a caller wants to send a signal to. */
export interface SignalledRun {
  readonly runId: string;
  readonly axon: string;
  /** With which it began. */
  readonly input: unknown;
  /** True if it is about the caller: by default, if the caller began it. */
  readonly isOwn: boolean;
}

/** Whether the caller may send the signal. The identity is undefined for a caller that no guard has verified. */
export type AllowSignal = (
  identity: IamIdentity | undefined,
  run: SignalledRun,
) => boolean | Promise<boolean>;

const problem = (code: "SIGNAL_CONFLICT" | "SIGNAL_INVALID" | "SIGNALS_FULL", fields = {}) =>
  new ProblemDetail({ code, ...refusalCodes[code], ...fields });

const ofRun = (code: "RUN_ENDED" | "RUN_STUCK" | "RUN_UNKNOWN") =>
  new ProblemDetail({ code, ...faultCodes[code] });

const RESPONSES = {
  unknown: ofRun("RUN_UNKNOWN"),
  ended: ofRun("RUN_ENDED"),
  stuck: ofRun("RUN_STUCK"),
  conflict: problem("SIGNAL_CONFLICT"),
  full: problem("SIGNALS_FULL"),
  invalid: problem("SIGNAL_INVALID"),
} as const;

const IdempotencyKey = header("idempotency-key");

const Sent = Type.Object(
  { run_id: Type.String(), signal_id: Type.String({ description: "A run keeps one signal of an id." }) },
  { title: "Sent signal" },
);

/** The id of the signal is the Idempotency-Key of the request, if it has one. */
export const runSignal = (kind: AnySignal, allow: AllowSignal | undefined) =>
  Axon.start(`run-signal ${kind.name}`, kind.schema)
    .thenFn(
      "send",
      async (payload, bus) => {
        const [runId = ""] = Object.values(bus.get(PathParams));
        const runs = bus.find(ServedRunsKey);
        const begun = isKeptRunId(runId) ? await runs?.begun(runId) : undefined;
        if (runs === undefined || begun === undefined) return fault(RESPONSES.unknown);
        const identity = bus.find(IamIdentity);
        const name = bus.find(VerifiedIdentity) ?? (identity && verifiedName(identity));
        const isOwn = name !== undefined && begun.subject === hashedSubject(name);
        const { axon, input } = begun;
        // RS1.
        if (allow !== undefined && (await allow(identity, { runId, axon, input, isOwn })) !== true)
          return fault(RESPONSES.unknown);
        const key = bus.find(IdempotencyKey);
        const by = { actor: name ?? "anonymous" };
        const sent = await runs.signal(runId, kind, payload, { by, ...(key !== undefined && { id: key }) });
        return isFault(sent) ? sent : answerOf(runId, sent);
      },
      {
        reads: [PathParams],
        mayRead: [ServedRunsKey, IamIdentity, VerifiedIdentity, IdempotencyKey],
        responses: [
          { status: 202, title: "The run takes it when it waits for it" },
          ...Object.values(RESPONSES),
        ],
      },
    )
    .withOutputSchema(Sent);

function answerOf(runId: string, sent: SentSignal) {
  if (sent.kind === "kept" || sent.kind === "known") {
    const body: Static<typeof Sent> = { run_id: runId, signal_id: sent.id };
    return respond({ status: 202, headers: { "cache-control": "no-store" }, body });
  }
  if (sent.kind === "invalid")
    return fault(problem("SIGNAL_INVALID", { extensions: { errors: sent.errors } }));
  return fault(RESPONSES[sent.kind]);
}
