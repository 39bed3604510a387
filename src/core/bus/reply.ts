// A response with a status, headers or cookies of its own. A plain value to the executor.
// Validated when it is made, then immutable.

import { FrameworkError } from "../errors.js";
import { interned } from "../interned.js";
import { isBlob, isByteSource } from "../wire/byte-source.js";
import { headerLine, settableHeader } from "../wire/header-syntax.js";
import { Html } from "../wire/html.js";
import type { Emit } from "./outcome.js";
import { ProblemDetail } from "./problem-detail.js";
import { WholeAnswer } from "./whole-answer.js";

/** A cookie in its wire form. Made by `setCookie` and related functions. */
export interface SetCookie {
  readonly name: string;
  /** Value of its `set-cookie` header. */
  readonly line: string;
}

export interface ReplyFields<out B, out S extends number = number> {
  /** 200 to 599. Default: 200; 204 without a body; the problem's own status if the body is one. */
  readonly status?: S;
  /** By name, in any case. Each value of a list has its own line. At most 16 KiB together with the cookies. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly cookies?: readonly SetCookie[];
  /** Any body that a step can return: data, text, bytes, `html()`, a stream, or a ProblemDetail. */
  readonly body?: B;
  /** Length in bytes of a stream body. Without it the body is chunked. A Blob has its own length. */
  readonly length?: number;
}

export type ReplyHeaders = Readonly<Record<string, readonly string[]>>;

declare const reply: unique symbol;

/** Status, headers and body of a response. Made by {@link respond}. */
class Reply<out B, out S extends number = number> {
  declare readonly [reply]: true;
  readonly status: S;
  readonly body: B;
  /** Length in bytes of a stream, if given. */
  readonly length: number | undefined;
  // In wire form: building this text takes a tenth of the time of lists by name.
  readonly #lines: string;

  constructor({ status, headers, cookies, body, length }: ReplyFields<B, S>) {
    this.status = statusOf(status, body) as S;
    this.body = body as B;
    this.length = length === undefined ? undefined : lengthOf(length, body);
    this.#lines = linesOf(headers, cookies);
    if (body instanceof ProblemDetail && this.#lines.includes("\r\ncontent-type: "))
      throw invalid("a problem has a content type of its own: leave the header out");
    Object.freeze(this);
  }

  get headers(): ReplyHeaders {
    const headers: Record<string, string[]> = Object.create(null);
    for (const line of this.#lines.split("\r\n").slice(1)) {
      const colon = line.indexOf(": ");
      const name = line.slice(0, colon);
      headers[name] = [...(headers[name] ?? []), line.slice(colon + 2)];
    }
    return headers;
  }

  /** @internal Each header line, preceded by CR LF. */
  get lines(): string {
    return this.#lines;
  }
}

// The ingress of one copy of the package sends replies of another copy.
const SharedReply = interned("Reply", () => Reply);
type SharedReply<B, S extends number = number> = Reply<B, S>;

export { SharedReply as Reply };

/**
 * A response with a status, headers or cookies of its own:
 * `respond({ status: 201, headers: { location }, body: order })`. An output schema validates
 * its body. Throws RESPONSE_INVALID or HEADER_INVALID if it cannot be sent.
 */
export function respond<B = undefined, const S extends number = UsualStatus<B>>(
  fields?: ReplyFields<B, S>,
): SharedReply<B, S>;
// For a body whose type is written out: the compiler infers either both type arguments or none.
export function respond<B>(fields: ReplyFields<B>): SharedReply<B>;
export function respond(fields: ReplyFields<unknown> = {}): unknown {
  return new SharedReply(fields);
}

/** The status without one of its own; `number` where the type of the body does not say it. */
type UsualStatus<B> = unknown extends B
  ? number
  : B extends undefined
    ? 204
    : B extends ProblemDetail
      ? number
      : 200;

/** The literal statuses of the replies that a step returns. One that is only known as `number` is not among them. */
export type StatusIn<R> =
  R extends SharedReply<unknown, infer S>
    ? number extends S
      ? never
      : S
    : R extends Emit<string, infer T>
      ? StatusIn<T>
      : never;

/** Bodies that are sent unchanged: no schema describes them. */
type Streamed = WholeAnswer | AsyncIterable<unknown> | ReadableStream | Blob;
type NoData = Html | ProblemDetail | Streamed;

type BodyOf<T> = T extends Reply<infer B> ? B : T;

/** True if an Axon returns streams only. */
export type StreamsAlone<T> = 0 extends 1 & T
  ? false
  : [BodyOf<T>] extends [never]
    ? false
    : [BodyOf<T>] extends [Streamed]
      ? true
      : false;

/** The part of an Axon's result that its output schema describes. */
export type DataOf<T> =
  T extends Reply<infer B> ? Exclude<B, NoData | undefined> : T extends NoData ? never : T;

/** Stands for data in a response without any. */
export const noData: unique symbol = Symbol("no data");

export function dataOf(answer: unknown): unknown {
  if (answer instanceof SharedReply && answer.body === undefined) return noData;
  const data = answer instanceof SharedReply ? answer.body : answer;
  return data instanceof Html || data instanceof ProblemDetail || isStreamed(data) ? noData : data;
}

const isStreamed = (data: unknown): boolean => data instanceof WholeAnswer || isByteSource(data);

/** Statuses after which a client expects the next response at once. RFC 9110, section 6.4.1. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

const MAX_HEADER_BYTES = 16_384;

function statusOf(given: number | undefined, body: unknown): number {
  const own = body instanceof ProblemDetail ? body.status : undefined;
  const status = given ?? own ?? (body === undefined ? 204 : 200);
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw invalid(`status ${String(status)} is none of 200 to 599`);
  if (own !== undefined && own !== status)
    throw invalid(`status ${status} contradicts the problem's own, ${own}: leave it out`);
  if (body !== undefined && BODILESS.has(status))
    throw invalid(`status ${status} has no body: leave the body out, or take another status`);
  if (body instanceof SharedReply) throw invalid("the body is a reply itself: give one of the two");
  if (typeof (body as { readonly then?: unknown } | null | undefined)?.then === "function")
    throw invalid("the body is a promise: await it first");
  return status;
}

function lengthOf(length: number, body: unknown): number {
  if (!isByteSource(body)) throw invalid("a length is of a stream: the body's own is known");
  if (!Number.isSafeInteger(length) || length < 0)
    throw invalid(`length ${String(length)} is no count of bytes: give a whole number, or leave it out`);
  if (isBlob(body) && body.size !== length)
    throw invalid(`length ${length} contradicts the Blob's own, ${body.size}: leave it out`);
  return length;
}

function linesOf(
  headers: Readonly<Record<string, string | readonly string[]>> = {},
  cookies: readonly SetCookie[] = [],
): string {
  let lines = "";
  for (const [given, values] of Object.entries(headers)) {
    const name = settableHeader(given, "step");
    if (!Array.isArray(values)) lines += headerLine(name, values as string);
    else for (const value of values) lines += headerLine(name, value);
  }
  for (const { line } of cookies) lines += headerLine("set-cookie", line);
  if (lines.length <= MAX_HEADER_BYTES) return lines;
  throw invalid(
    `its headers have ${lines.length} bytes, and clients and proxies read no more than ${MAX_HEADER_BYTES}: send it in the body`,
  );
}

const invalid = (what: string): FrameworkError =>
  new FrameworkError("RESPONSE_INVALID", `respond(): ${what}`);

/**
 * Defines the whole response of an error if a problem document is not enough: with headers, or
 * with a status of 300 to 399. A fault never has a 2xx status.
 */
export interface IntoReply {
  readonly toReply: () => SharedReply<unknown>;
}

export const isIntoReply = (error: unknown): error is IntoReply =>
  typeof error === "object" && error !== null && typeof (error as Partial<IntoReply>).toReply === "function";
