// What streams of all makes are asked of: the next piece, and to stop.

import { type ByteSource, isBlob, isWebStream } from "#core/byte-source.js";

/** Gives its pieces when they are pulled, one at a time. */
export interface BytePull {
  /** The next piece; undefined at the end. Rejects with what the source throws. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Lets the source know that nobody wants more of it. Rejects where it takes that badly. */
  cancel(reason: unknown): Promise<void>;
}

/** Begins nothing yet, but for a Readable, which is listened to: its error would end the process. Throws for a stream that somebody else reads. */
export function pullOf(source: ByteSource): BytePull {
  if (isBlob(source)) return new WebPull(source.stream());
  if (isWebStream(source)) return new WebPull(source);
  return isReadable(source) ? new ReadablePull(source) : new IterablePull(source);
}

type Pieces = AsyncIterable<string | Uint8Array>;

interface Readable extends Pieces {
  on(event: "error", listener: () => void): unknown;
  destroy(error?: unknown): unknown;
}

const isReadable = (source: Pieces): source is Readable =>
  typeof (source as Partial<Readable>).destroy === "function" &&
  typeof (source as Partial<Readable>).on === "function";

/** A source gave what is neither text nor bytes. */
export class PieceError extends TypeError {
  override readonly name = "PieceError";
}

function requirePiece(piece: unknown): string | Uint8Array {
  if (typeof piece === "string" || piece instanceof Uint8Array) return piece;
  const what = piece === null ? "null" : Array.isArray(piece) ? "a list" : typeof piece;
  throw new PieceError(`A stream gave ${what}: give text or bytes, JSON.stringify() makes text of data`);
}

class IterablePull implements BytePull {
  readonly #iterator: AsyncIterator<string | Uint8Array>;

  constructor(source: Pieces) {
    this.#iterator = source[Symbol.asyncIterator]();
  }

  async next(): Promise<Uint8Array | string | undefined> {
    const { done, value } = await this.#iterator.next();
    return done ? undefined : requirePiece(value);
  }

  // A generator that waits hears of it when it goes on: until then its run's signal tells it.
  async cancel(): Promise<void> {
    await this.#iterator.return?.();
  }
}

class ReadablePull extends IterablePull {
  readonly #readable: Readable;

  constructor(readable: Readable) {
    super(readable);
    readable.on("error", () => {});
    this.#readable = readable;
  }

  // Its iterator would not, where it has not begun.
  override async cancel(): Promise<void> {
    this.#readable.destroy();
  }
}

class WebPull implements BytePull {
  readonly #reader: ReadableStreamDefaultReader<string | Uint8Array>;

  constructor(stream: ReadableStream<string | Uint8Array>) {
    this.#reader = stream.getReader();
  }

  async next(): Promise<Uint8Array | string | undefined> {
    const { done, value } = await this.#reader.read();
    return done ? undefined : requirePiece(value);
  }

  // That of another make may answer no promise, or throw.
  async cancel(reason: unknown): Promise<void> {
    await this.#reader.cancel(reason);
  }
}
