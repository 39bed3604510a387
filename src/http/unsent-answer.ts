// What becomes of a stream that nobody will be sent: a layer has answered something else in its
// place, or its client has gone before it was there. It is cancelled like one whose client leaves
// (SA3 of streamed-answer.ts), so that files, cursors and requests behind it are let go of.

import { isBlob, isByteSource } from "#core/byte-source.js";
import { Reply } from "#core/reply.js";
import { WholeAnswer } from "#core/whole-answer.js";
import { pullOf } from "./byte-pull.js";
import type { Exchange } from "./native/exchange.js";
import type { AnsweredRoute, SentAnswer } from "./sent-answer.js";

const UNSENT = new Error("Nobody is sent the answer");

/** Cancels what an answer streams, if it streams. Never throws. */
export function cancelAnswer(
  answer: unknown,
  exchange: Exchange,
  { axon, reporter, reportOf }: AnsweredRoute,
): void {
  const body = bodyOf(answer);
  const failed = (error: unknown): void => {
    const message = `${axon}: what it streamed failed when it was to stop`;
    reporter({ code: "STREAM_FAILED", message, error, axon, ...reportOf(exchange) });
  };
  try {
    if (body instanceof WholeAnswer) (body as unknown as SentAnswer).cancel();
    else if (isByteSource(body) && !isHeld(body)) pullOf(body).cancel(UNSENT).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Whether an answer streams, or may hand on what does. */
export function isStream(answer: unknown): boolean {
  const body = bodyOf(answer);
  return body instanceof WholeAnswer || isByteSource(body);
}

const bodyOf = (answer: unknown): unknown => (answer instanceof Reply ? answer.body : answer);

/** Of a Blob nothing is open; what somebody else reads is his to end. */
const isHeld = (source: object): boolean =>
  isBlob(source) || (source as Partial<ReadableStream>).locked === true;
