// A stream that is not sent, as a layer has answered something else or the client has disconnected,
// is cancelled, so that its files, cursors and requests are released.

import { types } from "node:util";
import { Reply } from "#core/bus/reply.js";
import { WholeAnswer } from "#core/bus/whole-answer.js";
import { isBlob, isByteSource, isWebStream } from "#core/wire/byte-source.js";
import type { Exchange } from "../exchange/exchange.js";
import { pullOf } from "./byte-pull.js";
import type { AnsweredRoute, SentAnswer } from "./sent-answer.js";

const UNSENT = new Error("Nobody is sent the answer");

/** `mayHaveBegun`: a layer may have read from it. Never throws. */
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

/** Whether an answer streams. */
export function isStream(answer: unknown): boolean {
  const body = bodyOf(answer);
  return body instanceof WholeAnswer || isByteSource(body);
}

/** By a layer's stream: the outcome that it replaced. */
const within = new WeakMap<object, unknown>();

/** A layer's stream may be made of `inner`. */
export function noteWithin(stream: unknown, inner: unknown): void {
  const body = bodyOf(stream);
  if (isByteSource(body) && body !== bodyOf(inner)) within.set(body, inner);
}

/**
 * Cancels what an unbegun stream may be made of: an unbegun generator runs nothing at its end, so
 * it releases nothing. Where it may have begun, only sources that can be ended twice are.
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

/** Whether ending it twice has no effect. */
const endsOnce = (body: unknown): boolean =>
  body instanceof WholeAnswer || (isByteSource(body) && (types.isGeneratorObject(body) || isNative(body)));

/** Of Node.js or the web. */
const isNative = (stream: object): boolean =>
  isWebStream(stream) || typeof (stream as { readonly destroy?: unknown }).destroy === "function";

const bodyOf = (answer: unknown): unknown => (answer instanceof Reply ? answer.body : answer);

/** A Blob holds nothing open; a locked stream belongs to its reader. */
const isHeld = (source: object): boolean =>
  isBlob(source) || (source as Partial<ReadableStream>).locked === true;
