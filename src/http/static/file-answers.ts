// Evaluates conditions and ranges of a request, in the order of RFC 9110, section 13.2.2. The response
// is the whole file, ranges of it, or 304.

import { randomBytes } from "node:crypto";
import { type Fault, fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { guardCodes } from "#core/error-codes.js";
import { matchesStrongly } from "#core/wire/entity-tag.js";
import { headerLine } from "#core/wire/header-syntax.js";
import { httpDate, parseHttpDate } from "#core/wire/http-date.js";
import { type Conditions, verdictOf } from "#core/wire/preconditions.js";
import { keepPolicyOfPage, SentAnswer } from "../answer/sent-answer.js";
import type { AnswerHead, AnswerHeads } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import { Refusal } from "../refusal/refusal.js";
import { type ByteRange, contentRange, rangesOf } from "./byte-ranges.js";
import { bytesOfSegments, type FileSender, type Segment } from "./file-sender.js";
import type { FileVariant } from "./file-variant.js";

export interface HeadParts {
  readonly type: string;
  readonly cacheControl: string;
  /** True if the path has several variants. */
  readonly varies: boolean;
  readonly nosniff: boolean;
}

/** Cached heads, one per set of guard headers. A route has at most two. */
const MAX_BLOCKS = 4;

export class Representation {
  readonly variant: FileVariant;
  readonly type: string;
  /** Milliseconds since 1970, in whole seconds, not in the future (RFC 9110, section 8.8.2.1). */
  readonly lastModified: number;
  /** Header lines of a 304. */
  readonly unmodifiedLines: string;
  /** Header lines without the content type. */
  readonly untypedLines: string;
  readonly lines: string;
  readonly #blocks = new Map<AnswerHeads, AnswerHead>();

  constructor(variant: FileVariant, { type, cacheControl, varies, nosniff }: HeadParts, now: number) {
    const { stored, etag, modifiedMs } = variant;
    this.variant = variant;
    this.type = type;
    this.lastModified = Math.floor(Math.min(modifiedMs, now) / 1000) * 1000;
    this.unmodifiedLines =
      headerLine("etag", etag) +
      headerLine("cache-control", cacheControl) +
      (varies ? headerLine("vary", "accept-encoding") : "");
    this.untypedLines =
      (stored === "identity" ? "" : headerLine("content-encoding", stored)) +
      this.unmodifiedLines +
      headerLine("last-modified", httpDate(this.lastModified)) +
      headerLine("accept-ranges", "bytes") +
      (nosniff ? headerLine("x-content-type-options", "nosniff") : "");
    this.lines = headerLine("content-type", type) + this.untypedLines;
  }

  get etag(): string {
    return this.variant.etag;
  }

  /** Head of the whole file. */
  head(heads: AnswerHeads): AnswerHead {
    let head = this.#blocks.get(heads);
    if (head !== undefined) return head;
    head = heads.kept(200, this.lines);
    if (this.#blocks.size < MAX_BLOCKS) this.#blocks.set(heads, head);
    return head;
  }
}

const KEPT = "\r\ncache-control: ";
const KEPT_LINE = /\r\ncache-control: [^\r]*/;

/** The file's header lines replace those of guards, except cache-control: a response that ends a session is private. */
function linesBesideGuards(exchange: Exchange, lines: string): string {
  const own = exchange.lines.includes(KEPT) ? lines.replace(KEPT_LINE, "") : lines;
  exchange.giveWay(own);
  return own;
}

const allOf = (size: number): readonly ByteRange[] => (size === 0 ? [] : [{ first: 0, last: size - 1 }]);

function partsOf(
  ranges: readonly ByteRange[],
  boundary: string,
  { type, variant }: Representation,
): readonly Segment[] {
  const typeLine = headerLine("content-type", type);
  const segments = ranges.flatMap((range, i): Segment[] => {
    const lines = typeLine + headerLine("content-range", contentRange(range, variant.size));
    return [Buffer.from(`${i === 0 ? "" : "\r\n"}--${boundary}${lines}\r\n\r\n`), range];
  });
  return [...segments, Buffer.from(`\r\n--${boundary}--\r\n`)];
}

/** Joins segments. A single range is not copied. */
function collected(segments: readonly Segment[], bytes: Buffer): Buffer {
  const pieces = segments.map((segment) =>
    Buffer.isBuffer(segment) ? segment : bytes.subarray(segment.first, segment.last + 1),
  );
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytesOfSegments(segments));
}

/** Request fields, undefined if absent. */
export interface Asked extends Conditions {
  readonly method: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

const refused = (code: "PRECONDITION_FAILED" | "PRECONDITION_INVALID"): Fault<ProblemDetail> =>
  fault(new ProblemDetail({ code, ...guardCodes[code] }));

const FAILED = refused("PRECONDITION_FAILED");
const MALFORMED = refused("PRECONDITION_INVALID");

/** A file that can be sent. Its 200 and 304 are built once, a 206 per request. */
export class SelectableFile {
  readonly variant: FileVariant;
  readonly #file: Representation;
  readonly #sender: FileSender;
  readonly #whole = new SentAnswer((exchange, route) => {
    const { lines } = this.#file;
    const own = linesBesideGuards(exchange, lines);
    const head = own === lines ? this.#file.head(exchange.heads) : exchange.heads.of(200, own);
    const { bytes, size } = this.variant;
    if (bytes !== undefined) exchange.send(head, bytes);
    else this.#sender.send(exchange, head, this.variant, allOf(size), route);
  });
  readonly #unmodified = new SentAnswer((exchange) => {
    keepPolicyOfPage(exchange);
    exchange.send(exchange.heads.of(304, linesBesideGuards(exchange, this.#file.unmodifiedLines)), null);
  });

  constructor(file: Representation, sender: FileSender) {
    this.variant = file.variant;
    this.#file = file;
    this.#sender = sender;
  }

  answerTo(asked: Asked, now: number): SentAnswer | Fault<ProblemDetail | Refusal> {
    if (isConditional(asked)) {
      switch (verdictOf(asked, this.#file, true, now)) {
        case "failed":
          return FAILED;
        case "malformed":
          return MALFORMED;
        case "unmodified":
          return this.#unmodified;
      }
    }
    // HEAD ignores Range (section 14.2).
    if (asked.range === undefined || asked.method !== "GET") return this.#whole;
    if (asked.ifRange !== undefined && !isCurrent(asked.ifRange, this.#file, now)) return this.#whole;
    const { size } = this.variant;
    const ranges = rangesOf(asked.range, size);
    if (ranges === "whole") return this.#whole;
    if (ranges !== "none") return this.#partsOf(ranges);
    const headers = { "content-range": contentRange(undefined, size) };
    return fault(new Refusal("RANGE_UNSATISFIABLE", { headers }));
  }

  /** One range verbatim, several as multipart/byteranges (RFC 9110, section 14.6). */
  #partsOf(ranges: readonly [ByteRange, ...ByteRange[]]): SentAnswer {
    const { bytes, size } = this.variant;
    const [first] = ranges;
    // The file cannot contain a boundary that is generated now.
    const boundary = randomBytes(18).toString("hex");
    const [lines, segments] =
      ranges.length === 1
        ? [this.#file.lines + headerLine("content-range", contentRange(first, size)), [first]]
        : [
            headerLine("content-type", `multipart/byteranges; boundary=${boundary}`) +
              this.#file.untypedLines,
            partsOf(ranges, boundary, this.#file),
          ];
    return new SentAnswer((exchange, route) => {
      const head = exchange.heads.of(206, linesBesideGuards(exchange, lines));
      if (bytes !== undefined) exchange.send(head, collected(segments, bytes));
      else this.#sender.send(exchange, head, this.variant, segments, route);
    });
  }
}

const isConditional = ({ ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince }: Conditions): boolean =>
  (ifMatch ?? ifUnmodifiedSince ?? ifNoneMatch ?? ifModifiedSince) !== undefined;

/** Evaluates If-Range (RFC 9110, section 13.1.5). A date cannot identify the current second. */
function isCurrent(ifRange: string, { etag, lastModified }: Representation, now: number): boolean {
  if (ifRange.startsWith('"') || ifRange.startsWith("W/")) return matchesStrongly(ifRange, etag);
  return parseHttpDate(ifRange, now) === lastModified && now - lastModified >= 1000;
}
