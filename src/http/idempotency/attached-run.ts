// A request with the idempotency key of a kept run that exists: it waits for what the run comes to,
// in whichever process, and answers with it. One effect, one body.

import { setTimeout as pause } from "node:timers/promises";

import { fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { ServedRuns } from "#runtime/hosting/served-runs.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import type { Exchange } from "../exchange/exchange.js";
import { isPassing } from "../refusal/passing-status.js";
import { Refusal } from "../refusal/refusal.js";

/** The run has ended well, and its output is no data. */
const OUTPUT_LOST = new Refusal("IDEMPOTENCY_ANSWER_LOST");

/** How often the log is read: at first, and once that took a while. */
const POLL_MS = 20;
const MAX_POLL_MS = 250;

export interface Attachment {
  readonly runs: ServedRuns;
  readonly runId: string;
  /** The time of its route. */
  readonly timeoutMs: number;
  /** Whether its route answers before the run has ended. */
  readonly detached: boolean;
}

/** Runs of one key: each that came to a passing failure gives way to the next one. */
const MAX_RUNS = 100;

/** The newest run of a key. One that failed of what may pass is not its answer: the same as without kept runs. */
export async function newestRun(attachment: Attachment): Promise<Attachment> {
  const { runs, runId: first } = attachment;
  for (let n = 1, runId = first; ; n += 1, runId = `${first}.${n}`) {
    const result = await runs.result(runId);
    if (result.kind !== "failed" || !mayPass(result.error) || n > MAX_RUNS) return { ...attachment, runId };
  }
}

/** What the framework itself failed of, and problems that are not kept under a key. */
const mayPass = (error: unknown): boolean =>
  isRuntimeFault(error) || (error instanceof ProblemDetail && isPassing(error.status));

/** What the run came to; undefined if it is unfinished when the time is up, or the client has gone. */
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

/** Answers with `send` what the run came to, or 202 where the time was too short. */
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
