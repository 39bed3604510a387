// A streaming parser of multipart/form-data (RFC 7578, RFC 2046). Bodies that two parsers could read
// differently are refused: text outside of the first and last delimiter, a line that continues after
// the boundary, a boundary in headers, in the first line of data or after a lone CR or LF, and a
// missing last delimiter. It buffers the head of one part and the length of one delimiter.

import { Refusal } from "../../refusal/refusal.js";
import { malformed, type PartHead, parsePartHead } from "./part-head.js";

/** Receives the parts in order. A refusal stops the parser. */
export interface PartSink {
  begin(head: PartHead): Refusal | undefined;
  /** Bytes of the current part, a view of the piece being parsed. */
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

/** The position of the next step, NEEDS_MORE, or a refusal. */
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
  /** Undecided bytes. Begins with the CRLF that the first delimiter lacks. */
  #rest: Buffer = Buffer.from(CRLF);

  constructor(boundary: string, maxHeadBytes: number, sink: PartSink) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, "latin1");
    this.#afterLf = Buffer.from(`\n--${boundary}`, "latin1");
    this.#afterCr = Buffer.from(`\r--${boundary}`, "latin1");
    this.#maxHeadBytes = maxHeadBytes;
    this.#headTooLarge = malformed(`The headers of a part are larger than ${maxHeadBytes} bytes`);
    this.#sink = sink;
  }

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

  // Begins at the CRLF of the delimiter: a part without headers has two in a row.
  #head(bytes: Buffer, at: number): Step {
    const end = bytes.indexOf(HEAD_END, at);
    // Without an end, the last three bytes may be the start of the end.
    const known = (end < 0 ? bytes.length - HEAD_END.length + 1 : end) - at - CRLF.length;
    if (known > this.#maxHeadBytes) return this.#headTooLarge;
    // If the data starts with a delimiter, its CRLF is the last CRLF of the head.
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
    // hole: a lenient scanner in front would see other parts
    if (line === at || (line > at && bytes[line - 1] !== CR)) return OUT_OF_PLACE;
    // The last bytes may be the start of a delimiter.
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
