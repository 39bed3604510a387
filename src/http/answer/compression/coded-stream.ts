// Compresses a streamed response. Pieces written in one turn are flushed together: a flush per piece
// would cost a thread switch and compress worse. Backpressure passes through the coder. The coder
// is always destroyed at the end, because its memory is outside of the heap.

import type { AnswerStream, StreamEnd } from "../../exchange/answer-stream.js";
import type { Coder } from "./encoder.js";

export class CodedStream implements AnswerStream {
  onWritable: (() => void) | null = null;
  onOver: ((how: StreamEnd) => void) | null = null;
  readonly #stream: AnswerStream;
  readonly #coder: Coder;
  readonly #flush: number;
  #isFlushing = false;
  #isEnding = false;

  /** `flush` is zlib's constant for a flush. */
  constructor(stream: AnswerStream, coder: Coder, flush: number) {
    this.#stream = stream;
    this.#coder = coder;
    this.#flush = flush;
    coder.on("data", (piece: Uint8Array) => {
      if (!stream.write(piece) && !stream.isOver) coder.pause();
    });
    coder.on("drain", () => this.onWritable?.());
    coder.on("end", () => stream.end());
    coder.on("error", () => stream.fail());
    stream.onWritable = () => coder.resume();
    stream.onOver = (how) => this.#end(how);
  }

  get isOver(): boolean {
    return this.#stream.isOver;
  }

  write(piece: Uint8Array | string): boolean {
    if (this.isOver || this.#isEnding) return false;
    // A copy, because a thread reads it while the caller may reuse the piece.
    const taken = this.#coder.write(typeof piece === "string" ? piece : Buffer.from(piece));
    if (!this.#isFlushing) {
      this.#isFlushing = true;
      setImmediate(() => this.#flushOut());
    }
    return taken;
  }

  end(): void {
    if (this.isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.#coder.end();
  }

  fail(): void {
    this.#stream.fail();
  }

  #flushOut(): void {
    this.#isFlushing = false;
    if (!this.isOver && !this.#isEnding) this.#coder.flush(this.#flush);
  }

  #end(how: StreamEnd): void {
    this.#coder.destroy();
    const { onOver } = this;
    this.onWritable = null;
    this.onOver = null;
    onOver?.(how);
  }
}
