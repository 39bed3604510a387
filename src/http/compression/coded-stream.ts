// An answer that is compressed while its pieces come.
//
//   CD1. Nothing is held back: what was written in one turn goes out whole behind it. Each
//        piece by itself would cost a thread's turn, and compress worse.
//   CD2. Who writes waits for the coder, and the coder for the client: neither holds more
//        than a few pieces.
//   CD3. Whichever way it ends, the coder is closed: its memory is not the heap's.

import type { AnswerStream, StreamEnd } from "../native/answer-stream.js";
import type { Coder } from "./encoder.js";

export class CodedStream implements AnswerStream {
  onWritable: (() => void) | null = null;
  onOver: ((how: StreamEnd) => void) | null = null;
  readonly #stream: AnswerStream;
  readonly #coder: Coder;
  readonly #flush: number;
  #isFlushing = false;
  #isEnding = false;

  /** Takes both over. `flush` makes the coder say all that it has been given. */
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
    // A copy: whoever made the piece may write to it again, while a thread reads it.
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
