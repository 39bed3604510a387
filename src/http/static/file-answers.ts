// What a request for a file is answered with: all of it, parts of it, or that it is what the
// client has already.

import { randomBytes } from "node:crypto";

import { headerLine } from "#core/header-syntax.js";
import type { Exchange } from "../native/exchange.js";
import { type AnsweredRoute, SentAnswer } from "../sent-answer.js";
import { keepPolicyOfPage } from "../unmodified.js";
import { type ByteRange, contentRange } from "./byte-ranges.js";
import { bytesOfSegments, type Segment } from "./file-pump.js";
import type { FileSender } from "./file-sender.js";
import type { Representation } from "./representation.js";

const KEPT = "\r\ncache-control: ";
const KEPT_LINE = /\r\ncache-control: [^\r]*/;

/**
 * The lines of a file beside those that guards give this one answer, which lose what both
 * name. But for how long it may be kept: one that ends a session is nobody else's.
 */
function linesBesideGuards(exchange: Exchange, lines: string): string {
  const own = exchange.lines.includes(KEPT) ? lines.replace(KEPT_LINE, "") : lines;
  exchange.giveWay(own);
  return own;
}

/** 200. One for all requests. */
export class WholeFile extends SentAnswer {
  readonly #file: Representation;
  readonly #sender: FileSender;

  constructor(file: Representation, sender: FileSender) {
    super();
    this.#file = file;
    this.#sender = sender;
  }

  override send(exchange: Exchange, route: AnsweredRoute): void {
    const { variant, lines } = this.#file;
    const own = linesBesideGuards(exchange, lines);
    const head = own === lines ? this.#file.head(exchange.heads) : exchange.heads.of(200, own);
    if (variant.bytes !== undefined) exchange.send(head, variant.bytes);
    else this.#sender.send(exchange, head, variant, allOf(variant.size), route);
  }
}

const allOf = (size: number): readonly ByteRange[] => (size === 0 ? [] : [{ first: 0, last: size - 1 }]);

/** 304. One for all requests. */
export class UnmodifiedFile extends SentAnswer {
  readonly #file: Representation;

  constructor(file: Representation) {
    super();
    this.#file = file;
  }

  override send(exchange: Exchange): void {
    keepPolicyOfPage(exchange);
    const lines = linesBesideGuards(exchange, this.#file.unmodifiedLines);
    exchange.send(exchange.heads.of(304, lines), null);
  }
}

/** 206: one range as it is, several as multipart/byteranges (RFC 9110, section 14.6). */
export class PartsOfFile extends SentAnswer {
  readonly #file: Representation;
  readonly #sender: FileSender;
  readonly #lines: string;
  readonly #segments: readonly Segment[];

  constructor(file: Representation, sender: FileSender, ranges: readonly [ByteRange, ...ByteRange[]]) {
    super();
    const { size } = file.variant;
    const [first, ...others] = ranges;
    this.#file = file;
    this.#sender = sender;
    if (others.length === 0) {
      this.#lines = file.lines + headerLine("content-range", contentRange(first, size));
      this.#segments = [first];
    } else {
      // Nobody can have put into the file what is only now made up.
      const boundary = randomBytes(18).toString("hex");
      const type = `multipart/byteranges; boundary=${boundary}`;
      this.#lines = headerLine("content-type", type) + file.untypedLines;
      this.#segments = partsOf(ranges, boundary, file);
    }
  }

  override send(exchange: Exchange, route: AnsweredRoute): void {
    const { variant } = this.#file;
    const lines = linesBesideGuards(exchange, this.#lines);
    const head = exchange.heads.of(206, lines);
    const { bytes } = variant;
    if (bytes !== undefined) exchange.send(head, collected(this.#segments, bytes));
    else this.#sender.send(exchange, head, variant, this.#segments, route);
  }
}

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

/** Of one range no copy is made. */
function collected(segments: readonly Segment[], bytes: Buffer): Buffer {
  const pieces = segments.map((segment) =>
    Buffer.isBuffer(segment) ? segment : bytes.subarray(segment.first, segment.last + 1),
  );
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, bytesOfSegments(segments));
}
