// From what a run answered to a response: the status and constant headers are
// blocks made once (answer-heads.ts), the body follows from the value.

import { type ByteSource, isBlob, isByteSource } from "#core/byte-source.js";
import { headerLine, isHeaderValue } from "#core/header-syntax.js";
import { Html } from "#core/html.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { Reply } from "#core/reply.js";
import { WholeAnswer } from "#core/whole-answer.js";
import type { Serialise } from "#schema/serialiser.js";
import { BYTES_TYPE, HTML_TYPE, JSON_TYPE, TEXT_TYPE } from "./answer-heads.js";
import type { Exchange } from "./native/exchange.js";
import { sendProblem } from "./problem-answer.js";
import type { AnsweredRoute, SentAnswer } from "./sent-answer.js";
import { sendSource } from "./streamed-answer.js";
import { keepPolicyOfPage } from "./unmodified.js";

/**
 * Writes a value that a run answered, whose time began `since`. Throws, with nothing written,
 * what the serialiser throws.
 */
export function sendValue(
  exchange: Exchange,
  value: unknown,
  serialise: Serialise,
  route: AnsweredRoute,
  since?: number,
): void {
  if (typeof value === "string") exchange.send(exchange.heads.text, value);
  else if (value === undefined) exchange.send(exchange.heads.noContent, null);
  else if (isPlain(value)) sendPlain(exchange, value, serialise, route, since);
  else sendInstance(exchange, value, serialise, route, since);
}

/**
 * Most answers are told from all that has a class of its own by one load: 0.2 ns where
 * objects have one shape, 3 where they have many; by their prototype it is 7. Data with a
 * `constructor` of its own, or without any, takes the longer way to the same answer.
 */
export function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  const made = value.constructor;
  return made === Object || made === Array;
}

/** To JSON a literal with nothing but an iterator has no members: only then it is looked for. */
function sendPlain(
  exchange: Exchange,
  value: unknown,
  serialise: Serialise,
  route: AnsweredRoute,
  since: number | undefined,
): void {
  const text = serialise(value);
  if (text === "{}" && isByteSource(value)) sendStream(exchange, value, route, since);
  else exchange.send(exchange.heads.json, text);
}

function sendInstance(
  exchange: Exchange,
  value: unknown,
  serialise: Serialise,
  route: AnsweredRoute,
  since: number | undefined,
): void {
  if (value instanceof Reply) sendReply(exchange, value, serialise, route, since);
  else if (value instanceof ProblemDetail) sendProblem(exchange, value);
  else if (value instanceof Html) exchange.send(exchange.heads.html, value.text);
  else if (value instanceof Uint8Array) exchange.send(exchange.heads.bytes, value);
  else if (value instanceof WholeAnswer) {
    // It knows itself how it is sent: in which coding, and by which tag it is found again.
    exchange.leaveAlone();
    (value as unknown as SentAnswer).send(exchange, route);
  } else if (isByteSource(value)) sendStream(exchange, value, route, since);
  else exchange.send(exchange.heads.json, serialise(asData(value)));
}

function sendStream(
  exchange: Exchange,
  source: ByteSource,
  route: AnsweredRoute,
  since: number | undefined,
): void {
  const type = typeOf(source);
  const { heads } = exchange;
  const head = type === BYTES_TYPE ? heads.bytes : heads.of(200, headerLine("content-type", type));
  sendSource(exchange, { head, source, length: lengthOf(source) }, route, since);
}

/** Writes a reply. Throws, with nothing written, what the serialiser throws. */
export function sendReply(
  exchange: Exchange,
  reply: Reply<unknown>,
  serialise: Serialise,
  route: AnsweredRoute,
  since?: number,
): void {
  const { status, lines, body } = reply;
  if (body instanceof ProblemDetail) {
    sendProblem(exchange, body, lines);
    return;
  }
  if (isByteSource(body)) {
    exchange.giveWay(lines);
    const head = exchange.heads.of(status, typedLines(lines, typeOf(body)));
    sendSource(exchange, { head, source: body, length: reply.length ?? lengthOf(body) }, route, since);
    return;
  }
  const [type, written] = writtenBody(body, serialise);
  const typed = typedLines(lines, type);
  // Neither may have a length; after the other statuses a client waits for one.
  const bodiless = status === 204 || status === 304;
  if (status === 304) keepPolicyOfPage(exchange);
  exchange.giveWay(lines);
  exchange.send(exchange.heads.of(status, typed), bodiless ? null : written);
}

const typedLines = (lines: string, type: string | undefined): string =>
  type === undefined || lines.includes("\r\ncontent-type: ")
    ? lines
    : headerLine("content-type", type) + lines;

const lengthOf = (source: ByteSource): number | undefined => (isBlob(source) ? source.size : undefined);

/** A Blob's own type may be any text. */
const typeOf = (source: ByteSource): string =>
  isBlob(source) && source.type !== "" && isHeaderValue(source.type) ? source.type : BYTES_TYPE;

/** A body's own content type and how it goes out. */
function writtenBody(
  body: unknown,
  serialise: Serialise,
): readonly [string | undefined, string | Uint8Array] {
  if (body === undefined) return [undefined, ""];
  if (typeof body === "string") return [TEXT_TYPE, body];
  if (body instanceof Html) return [HTML_TYPE, body.text];
  if (body instanceof Uint8Array) return [BYTES_TYPE, body];
  return [JSON_TYPE, serialise(asData(body))];
}

/** The same value. Throws for what JSON would make nothing of. */
export function asData(value: unknown): unknown {
  if (isPlain(value)) return value;
  const { next, arrayBuffer } = value as Readonly<Record<string, unknown>>;
  if (value instanceof WholeAnswer)
    throw new TypeError("What has a head of its own is no body: answer it alone");
  if (typeof next === "function")
    throw new TypeError("An iterator cannot be answered: make the generator async, or answer a list");
  if (typeof arrayBuffer === "function")
    throw new TypeError(
      "A Response cannot be answered: answer respond({ status, headers, body: response.body })",
    );
  return value;
}
