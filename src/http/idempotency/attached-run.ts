// Answers of requests whose run is not theirs: that of an idempotency key, or one that another process
// goes on with. What they say is read from the log of the run alone: a key can be held by a process that
// ended before it began a run.

import { setTimeout as pause } from "node:timers/promises";

import { fault } from "#core/bus/outcome.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { RunResult, ServedRuns } from "#runtime/hosting/served-runs.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import type { Exchange } from "../exchange/exchange.js";
import { isPassing, Refusal } from "../refusal/refusal.js";

/** The run has completed, but its output was not stored as data. */
const OUTPUT_LOST = new Refusal("IDEMPOTENCY_ANSWER_LOST");

/** There is no run that could be told of: the request comes again. */
const RETRY = fault(new Refusal("IDEMPOTENCY_UNAVAILABLE", { headers: { "retry-after": "1" } }));

const UNKNOWN: RunResult = { kind: "unknown" };

/** Intervals of reading the log: the first, and the longest. */
const POLL_MS = 20;
const MAX_POLL_MS = 250;

export interface Attachment {
  readonly runs: ServedRuns;
  readonly runId: string;
  /** Time-out of the route. */
  readonly timeoutMs: number;
  /** True if the route responds before the end of the run. */
  readonly detached: boolean;
}

/** Runs per key: a run with a temporary failure is followed by the next one. */
const MAX_RUNS = 100;

/**
 * The newest run of a key. A run with a temporary failure, by its response, is not the result of the key, as
 * without kept runs.
 */
export async function newestRun(
  attachment: Attachment,
  answers: RouteAnswers,
): Promise<{ readonly attachment: Attachment; readonly fingerprint: string | undefined }> {
  const { runs, runId: first } = attachment;
  for (let n = 1, runId = first; ; n += 1, runId = `${first}.${n}`) {
    const result = await runs.result(runId, true);
    // A cancelled run does not begin again.
    if (result.kind === "failed" && mayPass(result.error, answers) && n <= MAX_RUNS) continue;
    const fingerprint = result.kind === "unknown" ? undefined : result.fingerprint;
    return { attachment: { ...attachment, runId }, fingerprint };
  }
}

const mayPass = (error: unknown, answers: RouteAnswers): boolean =>
  isRuntimeFault(error) || isPassing(answers.statusOf(error));

/** Waits for the result of the run. Undefined if the time-out passed first or the client disconnected. */
async function resultOf(
  { runs, runId, timeoutMs }: Attachment,
  isWanted: () => boolean,
): Promise<RunResult | undefined> {
  const endsAt = performance.now() + timeoutMs;
  for (let ms = POLL_MS; isWanted(); ms = Math.min(2 * ms, MAX_POLL_MS)) {
    const result = await runs.result(runId);
    const isOver = result.kind !== "running" && result.kind !== "unknown";
    if (isOver || performance.now() + ms > endsAt) return result;
    await pause(ms);
  }
  return undefined;
}

const outcomeOf = (result: RunResult & { readonly kind: "completed" | "failed" }): unknown => {
  if (result.kind === "failed") return fault(result.error);
  return result.isOutputKept ? result.output : fault(OUTPUT_LOST);
};

/** Sends the result of the run with `send`, or 202 after the time-out. A detached route waits for none. */
export async function answerAttached(
  attachment: Attachment,
  exchange: Exchange,
  answers: RouteAnswers,
  send: (outcome: unknown) => void,
): Promise<void> {
  const { detached, runs, runId } = attachment;
  const of = { exchange, answers, send, otherwise: () => send(RETRY) };
  try {
    const result = detached
      ? await runs.result(runId)
      : ((await resultOf(attachment, () => exchange.isOpen)) ?? UNKNOWN);
    if (!detached && (result.kind === "completed" || result.kind === "failed")) send(outcomeOf(result));
    else answerState(result, runId, of);
  } catch (error) {
    answers.failToRead(exchange, runId, error);
    send(RETRY);
  }
}

/** Answers for a run that another process goes on with, without a key. */
export async function answerTaken(
  { runs, runId }: Pick<Attachment, "runs" | "runId">,
  exchange: Exchange,
  answers: RouteAnswers,
): Promise<void> {
  const send = (outcome: unknown): void => answers.send(exchange, outcome);
  const otherwise = (): void => answers.sendTaken(exchange, runId);
  try {
    answerState(await runs.result(runId), runId, { exchange, answers, send, otherwise });
  } catch (error) {
    answers.failToRead(exchange, runId, error);
    otherwise();
  }
}

interface StateAnswer {
  readonly exchange: Exchange;
  readonly answers: RouteAnswers;
  readonly send: (outcome: unknown) => void;
  /** Where there is no run, or nothing serves its state. */
  readonly otherwise: () => void;
}

/** 202 with the state that the run has, where its status is served. The fault of a cancelled run. */
function answerState(
  result: RunResult,
  runId: string,
  { exchange, answers, send, otherwise }: StateAnswer,
): void {
  if (result.kind === "cancelled") send(fault(result.error));
  else if (result.kind === "unknown" || !answers.servesStatus) otherwise();
  else answers.accepted(exchange, runId, result.kind);
}
