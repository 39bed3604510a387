// A request with the idempotency key of a kept run that exists: it waits for what the run comes to,
// in whichever process, and answers with it. One effect, one body.

import { setTimeout as pause } from "node:timers/promises";

import { fault } from "#core/outcome.js";
import type { ServedRuns } from "#runtime/served-runs.js";
import type { Exchange } from "./native/exchange.js";
import type { RouteAnswers } from "./route-answers.js";

/** How often the log is read: at first, and once that took a while. */
const POLL_MS = 20;
const MAX_POLL_MS = 250;

export interface Attachment {
  readonly runs: ServedRuns;
  readonly runId: string;
  /** The time of its route. */
  readonly timeoutMs: number;
}

/** What the run came to; undefined if it is unfinished when the time is up, or the client has gone. */
async function outcomeOf(
  { runs, runId, timeoutMs }: Attachment,
  isWanted: () => boolean,
): Promise<{ readonly outcome: unknown } | undefined> {
  const endsAt = performance.now() + timeoutMs;
  for (let ms = POLL_MS; isWanted(); ms = Math.min(2 * ms, MAX_POLL_MS)) {
    const result = await runs.result(runId);
    if (result.kind === "completed") return { outcome: result.output };
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
  exchange.wait();
  outcomeOf(attachment, () => exchange.isOpen)
    .then((ended) => {
      if (ended !== undefined) send(ended.outcome);
      else answers.accepted(exchange, attachment.runId);
    })
    .catch((error: unknown) => answers.fail(exchange, error));
}
