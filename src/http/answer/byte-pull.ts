// Pulls pieces from byte sources of all kinds.

import { setImmediate as turn } from "node:timers/promises";
import { type ByteSource, isBlob, isWebStream } from "#core/wire/byte-source.js";

export interface BytePull {
  /** Resolves to undefined at the end. Rejects with errors of the source. */
  next(): Promise<Uint8Array | string | undefined>;
  /** Cancels the source. */
  cancel(reason: unknown): Promise<void>;
}

/** Does not read yet. Throws for a locked stream. A Readable gets an error listener, because its error would exit the process. */
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

/** Thrown if a source yields neither text nor bytes. */
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

  // A suspended generator ends when it resumes. The run's abort signal reaches it earlier.
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

  // The iterator of a Readable does not destroy it before its first read.
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

  // A polyfill may return no promise, or throw.
  async cancel(reason: unknown): Promise<void> {
    await this.#reader.cancel(reason);
  }
}

/** Empty pieces before the loop yields to other work. */
const TURN_EMPTY = 256;

/** Thrown if a source does not yield its declared length. */
export class LengthError extends Error {
  override readonly name = "LengthError";
}

/** The non-empty pieces of a source, as bytes. With a length, the last piece is held back until the source has ended, because it may yield too much. */
export class CountedPieces {
  readonly #pull: BytePull;
  readonly #length: number | undefined;
  #pulled = 0;
  #isCancelled = false;
  /** High surrogate at the end of a piece. */
  #half = "";

  constructor(pull: BytePull, length: number | undefined) {
    this.#pull = pull;
    this.#length = length;
  }

  /** Resolves to undefined at the end. Rejects with errors of the source, and with LengthError. */
  async next(): Promise<Uint8Array | undefined> {
    const piece = await this.#some();
    const length = this.#length;
    if (length === undefined) return piece;
    this.#pulled += piece?.length ?? 0;
    if (piece === undefined && this.#pulled < length)
      throw new LengthError(`A stream of ${length} bytes ended after ${this.#pulled}`);
    if (piece === undefined || this.#pulled < length) return piece;
    // A copy: the source may reuse the piece. slice() of a Buffer does not copy.
    const last = new Uint8Array(piece);
    if (this.#pulled > length || (await this.#some()) !== undefined)
      throw new LengthError(`A stream of ${length} bytes gave more than those`);
    return last;
  }

  cancel(reason: unknown): Promise<void> {
    this.#isCancelled = true;
    return this.#pull.cancel(reason);
  }

  async #some(): Promise<Uint8Array | undefined> {
    for (let empty = 1; !this.#isCancelled; empty += 1) {
      const piece = await this.#pull.next();
      const bytes = piece instanceof Uint8Array ? piece : this.#encoded(piece);
      if (bytes === undefined || bytes.length > 0) return bytes;
      if (empty % TURN_EMPTY === 0) await turn();
    }
    return undefined;
  }

  #encoded(text: string | undefined): Uint8Array | undefined {
    const whole = this.#half + (text ?? "");
    if (text === undefined) {
      this.#half = "";
      return whole === "" ? undefined : Buffer.from(whole);
    }
    const last = whole.charCodeAt(whole.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#half = isCut ? whole.slice(-1) : "";
    return Buffer.from(isCut ? whole.slice(0, -1) : whole);
  }
}
