// A request with the idempotency key of an existing kept run. It waits for the result of the run, in
// any process, and sends it: one effect, one body.

import { setTimeout as pause } from "node:timers/promises";

import { fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { ServedRuns } from "#runtime/hosting/served-runs.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import type { Exchange } from "../exchange/exchange.js";
import { isPassing, Refusal } from "../refusal/refusal.js";

/** The run has completed, but its output was not stored as data. */
const OUTPUT_LOST = new Refusal("IDEMPOTENCY_ANSWER_LOST");

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

/** The newest run of a key. A run with a temporary failure is not the result of the key, as without kept runs. */
export async function newestRun(attachment: Attachment): Promise<Attachment> {
  const { runs, runId: first } = attachment;
  for (let n = 1, runId = first; ; n += 1, runId = `${first}.${n}`) {
    const result = await runs.result(runId);
    if (result.kind !== "failed" || !mayPass(result.error) || n > MAX_RUNS) return { ...attachment, runId };
  }
}

/** True for failures of the framework, and problems that are not stored under a key. */
const mayPass = (error: unknown): boolean =>
  isRuntimeFault(error) || (error instanceof ProblemDetail && isPassing(error.status));

/** The result of the run; undefined if the time-out passed first or the client disconnected. */
async function outcomeOf(
  { runs, runId, timeoutMs }: Attachment,
  isWanted: () => boolean,
): Promise<{ readonly outcome: unknown } | undefined> {
  const endsAt = performance.now() + timeoutMs;
  for (let ms = POLL_MS; isWanted(); ms = Math.min(2 * ms, MAX_POLL_MS)) {
    const result = await runs.result(runId);
    if (result.kind === "completed")
      return { outcome: result.isOutputKept ? result.output : fault(OUTPUT_LOST) };
    if (result.kind === "failed") return { outcome: fault(result.error) };
    if (result.kind === "stuck" || performance.now() + ms > endsAt) return undefined;
    await pause(ms);
  }
  return undefined;
}

/** Sends the result of the run with `send`, or 202 after the time-out. */
export function answerAttached(
  attachment: Attachment,
  exchange: Exchange,
  answers: RouteAnswers,
  send: (outcome: unknown) => void,
): void {
  if (attachment.detached) {
    answers.accepted(exchange, attachment.runId);
    return;
  }
  exchange.wait();
  outcomeOf(attachment, () => exchange.isOpen)
    .then((ended) => {
      if (ended !== undefined) send(ended.outcome);
      else answers.accepted(exchange, attachment.runId);
    })
    .catch((error: unknown) => answers.fail(exchange, error));
}
