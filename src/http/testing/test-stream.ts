import { TestResponse } from "./test-response.js";

/** Receive window of a client that reads piece by piece. */
const WINDOW_BYTES = 65_536;

/** A response that a test reads as a stream. Unread pieces cause backpressure; leaving the loop early disconnects the client. */
export class TestStream implements AsyncIterable<Uint8Array> {
  /** @internal Resolves with its first piece, or its end. */
  readonly begun: Promise<void>;
  /** @internal */
  onRoom: () => void = () => {};
  /** Disconnects the client. */
  leave: () => void = () => {};
  #head: TestResponse | undefined;
  #tellBegun: () => void = () => {};
  #wake: () => void = () => {};
  #unread: Uint8Array[] = [];
  #bytes = 0;
  #isOver = false;
  #error: unknown;

  /** @internal */
  constructor() {
    this.begun = new Promise((resolve) => {
      this.#tellBegun = resolve;
    });
  }

  get status(): number {
    return this.#head?.status ?? 0;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#head?.headers ?? {};
  }

  get setCookies(): readonly string[] {
    return this.#head?.setCookies ?? [];
  }

  /** Resolves to the next piece, or undefined at the end. Rejects if the response is incomplete. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#unread.length === 0 && !this.#isOver)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const piece = this.#unread.shift();
    if (piece === undefined) {
      if (this.#error !== undefined) throw this.#error;
      return undefined;
    }
    const wasFull = this.room === 0;
    this.#bytes -= piece.length;
    if (wasFull && this.room > 0) setImmediate(() => this.onRoom());
    return piece;
  }

  /** Reads the rest as text. */
  async text(): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (let piece = await this.next(); piece !== undefined; piece = await this.next()) yield piece;
    } finally {
      this.leave();
    }
  }

  /** @internal */
  get room(): number {
    return Math.max(0, WINDOW_BYTES - this.#bytes);
  }

  /** @internal */
  take(piece: Uint8Array, head: readonly string[]): void {
    this.#head ??= new TestResponse(head, new Uint8Array());
    this.#bytes += piece.length;
    if (piece.length > 0) this.#unread.push(piece);
    this.#tell();
  }

  /** @internal With an error if the response is incomplete. */
  end(error?: unknown): void {
    this.#isOver = true;
    this.#error = error;
    this.#tell();
  }

  #tell(): void {
    this.#tellBegun();
    this.#wake();
  }
}
