// Reads multipart/form-data as it arrives (RFC 7578, RFC 2046). Strict on purpose: what
// two readers could take for different things is refused, so that whoever looked at an
// upload before us has seen what we see.
//
//   M1. A delimiter is CRLF, "--" and the boundary, and behind it CRLF, or "--" for the
//       last. A line that only begins with it, blanks behind it, text before the first
//       or behind the last are refused, and so is a line in a part that begins with
//       "--" and the boundary, be it among its headers, the first of its data, or behind
//       a CR or LF alone: others look for delimiters there, too.
//   M2. It must end with the last delimiter: what is cut short is refused.
//   M3. It keeps the head of one part and a delimiter's length of data, and no more.

import { Refusal } from "../refusal.js";
import { malformed } from "./malformed.js";
import { type PartHead, parsePartHead } from "./part-head.js";

/** What is told of the parts, in order. A refusal ends the reading. */
export interface PartSink {
  begin(head: PartHead): Refusal | undefined;
  /** Bytes of the part that began last. They are those of the piece that is being written. */
  data(bytes: Buffer): Refusal | undefined;
  end(): Refusal | undefined;
}

const CUT_SHORT = malformed("It ends before its last boundary");
const PREAMBLE = malformed("It does not begin with its boundary");
const EPILOGUE = malformed("Something stands behind its last boundary");
const BOUNDARY = malformed("A line begins with its boundary and goes on");
const OUT_OF_PLACE = malformed("Its boundary stands where no part can end");

const CR = 0x0d;
const CRLF = "\r\n";
const HEAD_END = Buffer.from("\r\n\r\n");

/** Where the next step begins, NEEDS_MORE, or why the body is refused. */
type Step = number | Refusal;

const NEEDS_MORE = -1;

export class MultipartParser {
  readonly #delimiter: Buffer;
  readonly #afterLf: Buffer;
  readonly #afterCr: Buffer;
  readonly #maxHeadBytes: number;
  readonly #headTooLarge: Refusal;
  readonly #sink: PartSink;
  #step: (bytes: Buffer, at: number) => Step = this.#first;
  /** What is not decided yet. Begins with the line end that the first delimiter is not sent with. */
  #rest: Buffer = Buffer.from(CRLF);

  constructor(boundary: string, maxHeadBytes: number, sink: PartSink) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, "latin1");
    this.#afterLf = Buffer.from(`\n--${boundary}`, "latin1");
    this.#afterCr = Buffer.from(`\r--${boundary}`, "latin1");
    this.#maxHeadBytes = maxHeadBytes;
    this.#headTooLarge = malformed(`The headers of a part are larger than ${maxHeadBytes} bytes`);
    this.#sink = sink;
  }

  /** Takes the next piece; answers why the body is refused. */
  write(piece: Uint8Array): Refusal | undefined {
    const bytes = Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (let next: Step = 0; next !== NEEDS_MORE; next = this.#step(bytes, at)) {
      if (next instanceof Refusal) return next;
      at = next;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    return undefined;
  }

  /** The body is whole. */
  end(): Refusal | undefined {
    if (this.#step !== this.#over) return CUT_SHORT;
    return this.#rest.length === 1 ? EPILOGUE : undefined;
  }

  #first(bytes: Buffer, at: number): Step {
    const end = at + this.#delimiter.length;
    if (bytes.length < end) return NEEDS_MORE;
    if (!bytes.subarray(at, end).equals(this.#delimiter)) return PREAMBLE;
    this.#step = this.#behindDelimiter;
    return end;
  }

  #behindDelimiter(bytes: Buffer, at: number): Step {
    if (bytes.length < at + 2) return NEEDS_MORE;
    const behind = bytes.toString("latin1", at, at + 2);
    if (behind === "--") {
      this.#step = this.#over;
      return at + 2;
    }
    if (behind !== CRLF) return BOUNDARY;
    this.#step = this.#head;
    return at;
  }

  // Begins at the line end of the delimiter: a part without headers has two in a row.
  #head(bytes: Buffer, at: number): Step {
    const end = bytes.indexOf(HEAD_END, at);
    // Without an end the last three bytes may be the most of it.
    const known = (end < 0 ? bytes.length - HEAD_END.length + 1 : end) - at - CRLF.length;
    if (known > this.#maxHeadBytes) return this.#headTooLarge;
    // The last line end of the head would be the delimiter's, if the data began with one.
    const firstLine = end + CRLF.length + this.#delimiter.length;
    if (end < 0 || bytes.length < firstLine) return NEEDS_MORE;
    if (bytes.subarray(at, firstLine).includes(this.#delimiter)) return OUT_OF_PLACE;
    const head = parsePartHead(bytes.subarray(Math.min(at + CRLF.length, end), end));
    const refusal = head instanceof Refusal ? head : this.#sink.begin(head);
    if (refusal !== undefined) return refusal;
    this.#step = this.#data;
    return end + HEAD_END.length;
  }

  #data(bytes: Buffer, at: number): Step {
    const line = bytes.indexOf(this.#afterLf, at);
    if (bytes.subarray(at, line < 0 ? bytes.length : line).includes(this.#afterCr)) return OUT_OF_PLACE;
    if (line === at || (line > at && bytes[line - 1] !== CR)) return OUT_OF_PLACE;
    // The end of what is there may be the beginning of a delimiter.
    const end = line < 0 ? bytes.length - this.#delimiter.length + 1 : line - 1;
    if (line < 0 && end <= at) return NEEDS_MORE;
    const refusal = end > at ? this.#sink.data(bytes.subarray(at, end)) : undefined;
    if (refusal !== undefined) return refusal;
    if (line < 0) return end;
    this.#step = this.#behindDelimiter;
    return this.#sink.end() ?? end + this.#delimiter.length;
  }

  #over(bytes: Buffer, at: number): Step {
    return CRLF.startsWith(bytes.toString("latin1", at, at + 3)) ? NEEDS_MORE : EPILOGUE;
  }
}
