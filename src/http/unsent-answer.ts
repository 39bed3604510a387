// What becomes of a stream that nobody will be sent: a layer has answered something else in its
// place, or its client has gone before it was there. It is cancelled like one whose client leaves
// (SA3 of streamed-answer.ts), so that files, cursors and requests behind it are let go of.

import { types } from "node:util";

import { isBlob, isByteSource, isWebStream } from "#core/byte-source.js";
import { Reply } from "#core/reply.js";
import { WholeAnswer } from "#core/whole-answer.js";
import { pullOf } from "./byte-pull.js";
import type { Exchange } from "./native/exchange.js";
import { reportIds } from "./report-ids.js";
import type { AnsweredRoute, SentAnswer } from "./sent-answer.js";

const UNSENT = new Error("Nobody is sent the answer");

/** Cancels what an answer streams, if it streams. A layer that was handed it may have begun it. Never throws. */
export function cancelAnswer(
  answer: unknown,
  exchange: Exchange,
  route: AnsweredRoute,
  mayHaveBegun = false,
): void {
  const { axon, reporter } = route;
  const body = bodyOf(answer);
  const failed = (error: unknown): void => {
    const message = `${axon}: what it streamed failed when it was to stop`;
    reporter({ code: "STREAM_FAILED", message, error, axon, ...reportIds(exchange) });
  };
  try {
    if (body instanceof WholeAnswer) (body as unknown as SentAnswer).cancel();
    else if (isByteSource(body) && !isHeld(body))
      void pullOf(body)
        .cancel(UNSENT)
        .catch(failed)
        .then(() => cancelWithin(body, exchange, route, mayHaveBegun));
  } catch (error) {
    failed(error);
  }
}

/** Whether an answer streams, or may hand on what does. */
export function isStream(answer: unknown): boolean {
  const body = bodyOf(answer);
  return body instanceof WholeAnswer || isByteSource(body);
}

/** Streams that layers have answered, and what each was answered in the place of. */
const within = new WeakMap<object, unknown>();

/** A layer has answered a stream, which may be made of this one. */
export function noteWithin(stream: unknown, inner: unknown): void {
  const body = bodyOf(stream);
  if (isByteSource(body) && body !== bodyOf(inner)) within.set(body, inner);
}

/**
 * Cancels what a stream may be made of that is let go of before it was begun. A generator that
 * has not begun runs nothing when it is ended, so nothing in it lets go of what it was given;
 * what the program has written itself to end a stream does that. Where it may have begun, that
 * is not opened to be ended: it would be so twice, and holds nothing where nobody has opened it.
 */
export function cancelWithin(
  stream: object,
  exchange: Exchange,
  route: AnsweredRoute,
  mayHaveBegun = false,
): void {
  const inner = within.get(stream);
  if (inner === undefined || !endsOnce(stream)) return;
  within.delete(stream);
  if (!mayHaveBegun || endsOnce(bodyOf(inner))) cancelAnswer(inner, exchange, route, mayHaveBegun);
}

/** Whether to end it is nothing where it is over. */
const endsOnce = (body: unknown): boolean =>
  body instanceof WholeAnswer || (isByteSource(body) && (types.isGeneratorObject(body) || isNative(body)));

/** Of Node.js or the web: it ends a generator that it was made of, or nothing. */
const isNative = (stream: object): boolean =>
  isWebStream(stream) || typeof (stream as { readonly destroy?: unknown }).destroy === "function";

const bodyOf = (answer: unknown): unknown => (answer instanceof Reply ? answer.body : answer);

/** Of a Blob nothing is open; what somebody else reads is his to end. */
const isHeld = (source: object): boolean =>
  isBlob(source) || (source as Partial<ReadableStream>).locked === true;
