// Reads multipart/form-data as it arrives (RFC 7578, RFC 2046). Strict on purpose: what
// two readers could take for different things is refused, so that whoever looked at an
// upload before us has seen what we see.
//
//   M1. A delimiter is CRLF, "--" and the boundary, and behind it CRLF, or "--" for the
//       last. A line that only begins with it, blanks behind it, text before the first
//       or behind the last are refused.
//   M2. It must end with the last delimiter: what is cut short is refused.
//   M3. It keeps the head of one part, or a delimiter's length of its data, and no more.

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

const CRLF = "\r\n";
const HEAD_END = Buffer.from("\r\n\r\n");

/** Where the next step begins, NEEDS_MORE, or why the body is refused. */
type Step = number | Refusal;

const NEEDS_MORE = -1;

export class MultipartParser {
  readonly #delimiter: Buffer;
  readonly #maxHeadBytes: number;
  readonly #headTooLarge: Refusal;
  readonly #sink: PartSink;
  #step: (bytes: Buffer, at: number) => Step = this.#first;
  /** What is not decided yet. Begins with the line end that the first delimiter is not sent with. */
  #rest: Buffer = Buffer.from(CRLF);

  constructor(boundary: string, maxHeadBytes: number, sink: PartSink) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, "latin1");
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
    return this.#step === this.#over ? undefined : CUT_SHORT;
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
    if ((end < 0 ? bytes.length : end) - at - CRLF.length > this.#maxHeadBytes) return this.#headTooLarge;
    if (end < 0) return NEEDS_MORE;
    const head = parsePartHead(bytes.subarray(Math.min(at + CRLF.length, end), end));
    const refusal = head instanceof Refusal ? head : this.#sink.begin(head);
    if (refusal !== undefined) return refusal;
    this.#step = this.#data;
    return end + HEAD_END.length;
  }

  #data(bytes: Buffer, at: number): Step {
    const found = bytes.indexOf(this.#delimiter, at);
    // The end of what is there may be the beginning of a delimiter.
    const end = found < 0 ? bytes.length - this.#delimiter.length + 1 : found;
    if (found < 0 && end <= at) return NEEDS_MORE;
    const refusal = end > at ? this.#sink.data(bytes.subarray(at, end)) : undefined;
    if (refusal !== undefined) return refusal;
    if (found < 0) return end;
    this.#step = this.#behindDelimiter;
    return this.#sink.end() ?? found + this.#delimiter.length;
  }

  #over(bytes: Buffer, at: number): Step {
    return CRLF.startsWith(bytes.toString("latin1", at, at + 3)) ? NEEDS_MORE : EPILOGUE;
  }
}
