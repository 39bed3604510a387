// Cancels a stream that is not sent, because a layer returned another outcome or the client
// disconnected. This releases its files, cursors and requests.

import { types } from "node:util";
import { Reply } from "#core/bus/reply.js";
import { WholeAnswer } from "#core/bus/whole-answer.js";
import { isBlob, isByteSource, isWebStream } from "#core/wire/byte-source.js";
import type { Exchange } from "../exchange/exchange.js";
import { pullOf } from "./byte-pull.js";
import type { AnsweredRoute, SentAnswer } from "./sent-answer.js";

const UNSENT = new Error("The response is not sent");

/** `mayHaveBegun`: a layer may have read from the stream. Never throws. */
export function cancelAnswer(
  answer: unknown,
  exchange: Exchange,
  route: AnsweredRoute,
  mayHaveBegun = false,
): void {
  const { axon, reporter } = route;
  const body = bodyOf(answer);
  const failed = (error: unknown): void => {
    const message = `${axon}: its stream failed when it was cancelled`;
    reporter({ code: "STREAM_FAILED", message, error, axon, ...exchange.reportIds });
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

/** True if the outcome is a stream. */
export function isStream(answer: unknown): boolean {
  const body = bodyOf(answer);
  return body instanceof WholeAnswer || isByteSource(body);
}

/** Maps a layer's stream to the outcome that it replaced. */
const within = new WeakMap<object, unknown>();

/** Notes that a layer's stream may read from `inner`. */
export function noteWithin(stream: unknown, inner: unknown): void {
  const body = bodyOf(stream);
  if (isByteSource(body) && body !== bodyOf(inner)) within.set(body, inner);
}

/**
 * Cancels the source of a layer's stream that was not started: a generator that was not started runs
 * no `finally`, so it releases nothing. If the stream may have started, only a source that can be
 * cancelled twice is cancelled.
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

/** True if a second cancel has no effect. */
const endsOnce = (body: unknown): boolean =>
  body instanceof WholeAnswer || (isByteSource(body) && (types.isGeneratorObject(body) || isNative(body)));

/** True for a stream of Node.js or the web. */
const isNative = (stream: object): boolean =>
  isWebStream(stream) || typeof (stream as { readonly destroy?: unknown }).destroy === "function";

const bodyOf = (answer: unknown): unknown => (answer instanceof Reply ? answer.body : answer);

/** True for a source that must not be cancelled: a Blob holds nothing open, a locked stream belongs to its reader. */
const isHeld = (source: object): boolean =>
  isBlob(source) || (source as Partial<ReadableStream>).locked === true;
