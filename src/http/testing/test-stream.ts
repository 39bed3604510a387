import type { AnswerReader } from "./answer-reader.js";
import { TestResponse } from "./test-response.js";

/**
 * An answer that a test reads as it comes. The server is held up while nobody reads; who
 * leaves the loop before the end is a client that goes away.
 */
export class TestStream implements AsyncIterable<Uint8Array> {
  readonly status: number;
  /** As those of a TestResponse. */
  readonly headers: Readonly<Record<string, string>>;
  readonly setCookies: readonly string[];
  readonly #reader: AnswerReader;

  /** @internal */
  constructor(reader: AnswerReader) {
    const { status, headers, setCookies } = new TestResponse(reader.head, new Uint8Array());
    this.status = status;
    this.headers = headers;
    this.setCookies = setCookies;
    this.#reader = reader;
  }

  /** The next piece; undefined at the end. Rejects where the answer is not whole. */
  next(): Promise<Uint8Array | undefined> {
    return this.#reader.next();
  }

  /** The rest of it. */
  async text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** The client goes away. */
  leave(): void {
    this.#reader.leave();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let piece = await this.next(); piece !== undefined; piece = await this.next()) yield piece;
    } finally {
      this.leave();
    }
  }
}
