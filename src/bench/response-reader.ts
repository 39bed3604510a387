// Reads responses of HTTP/1.1 from one connection, one at a time: the load generator sends the next
// request when a response is whole.

export interface WholeResponse {
  readonly status: number;
  /** What has arrived of the body in the last piece: whole where the response is small. */
  readonly body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const MAX_HEAD_BYTES = 65_536;

export class ResponseReader {
  readonly #isHead: boolean;
  /** Of a response whose head, or whose chunks, have not all arrived. */
  #held: Buffer | undefined;
  #status = 0;
  /** Bytes of the body that are to come; undefined before the head is read. */
  #left: number | undefined;

  constructor(method: string) {
    this.#isHead = method === "HEAD";
  }

  /** The response that this piece ends. Throws for what is no response, or more than one. */
  take(piece: Buffer): WholeResponse | undefined {
    if (this.#left !== undefined) return this.#counted(piece);
    const bytes = this.#held === undefined ? piece : Buffer.concat([this.#held, piece]);
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      if (bytes.length > MAX_HEAD_BYTES) throw new Error("The head of a response has more than 64 KiB");
      this.#held = bytes;
      return undefined;
    }
    const head = bytes.toString("latin1", 0, end + 2).toLowerCase();
    this.#status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (!(this.#status >= 200)) throw new Error(`It is no response: ${head.slice(0, 80)}`);
    const body = bytes.subarray(end + HEAD_END.length);
    if (/^connection: *close/m.test(head))
      throw new Error(`The server closes the connection after ${this.#status}: ${body.toString()}`);
    if (/^transfer-encoding: *chunked/m.test(head) && !this.#isHead) {
      this.#held = bytes;
      return isWhole(body) ? this.#end(body) : undefined;
    }
    const length = Number(/^content-length: *(\d+)/m.exec(head)?.[1] ?? 0);
    this.#left = this.#isHead || this.#status === 204 || this.#status === 304 ? 0 : length;
    return this.#counted(body);
  }

  #counted(piece: Buffer): WholeResponse | undefined {
    const left = (this.#left ?? 0) - piece.length;
    if (left < 0) throw new Error("More than one response arrived for a request");
    this.#left = left;
    return left === 0 ? this.#end(piece) : undefined;
  }

  #end(body: Buffer): WholeResponse {
    this.#held = undefined;
    this.#left = undefined;
    return { status: this.#status, body };
  }
}

/** True if the last chunk is there. Trailers are not read. */
function isWhole(chunks: Buffer): boolean {
  for (let at = 0; ; ) {
    const end = chunks.indexOf("\r\n", at);
    if (end === -1) return false;
    const size = Number.parseInt(chunks.toString("latin1", at, end), 16);
    if (Number.isNaN(size)) throw new Error("A chunk has no size");
    if (size === 0) return chunks.length >= end + 4;
    at = end + 2 + size + 2;
    if (at >= chunks.length) return false;
  }
}
