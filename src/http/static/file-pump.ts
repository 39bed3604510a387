// A file on its way to one client: one piece at a time is read, and the next when the client
// has taken it. A client that is slow so costs one piece of memory and a descriptor.

import { read } from "node:fs";

import type { AnswerStream } from "../native/answer-stream.js";
import { type ByteRange, lengthOf } from "./byte-ranges.js";
import type { PieceBuffers } from "./piece-buffers.js";

/** What is sent one after another: text between the parts, and parts of the file. */
export type Segment = ByteRange | Buffer;

export const bytesOfSegments = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + (Buffer.isBuffer(segment) ? segment.length : lengthOf(segment)), 0);

export interface PumpOptions {
  readonly stream: AnswerStream;
  readonly fd: number;
  readonly segments: readonly Segment[];
  readonly buffers: PieceBuffers;
  /** Called once: the file may be closed. Told what hindered it to be sent whole; a file that became shorter is no error. */
  readonly done: (error?: unknown) => void;
}

export class FilePump {
  readonly #options: PumpOptions;
  readonly #buffer: Buffer;
  #segment = 0;
  /** Where to go on in this segment, from its beginning. */
  #offset = 0;
  #isReading = false;
  #isDone = false;
  #error: unknown;

  constructor(options: PumpOptions) {
    const { stream, buffers } = options;
    this.#options = options;
    this.#buffer = buffers.take();
    stream.onWritable = () => this.#next();
    stream.onOver = () => this.#finish();
  }

  start(): void {
    if (this.#options.stream.isOver) this.#finish();
    else this.#next();
  }

  #next(): void {
    const { stream, segments } = this.#options;
    while (!stream.isOver) {
      const segment = segments[this.#segment];
      if (segment === undefined) {
        stream.end();
        return;
      }
      if (!Buffer.isBuffer(segment)) {
        this.#read(segment);
        return;
      }
      this.#segment += 1;
      if (!stream.write(segment)) return;
    }
  }

  #read(range: ByteRange): void {
    const length = Math.min(this.#buffer.length, lengthOf(range) - this.#offset);
    this.#isReading = true;
    read(this.#options.fd, this.#buffer, 0, length, range.first + this.#offset, (error, bytes) => {
      this.#isReading = false;
      if (this.#options.stream.isOver) this.#finish();
      else if (error !== null || bytes === 0) this.#fail(error);
      else this.#write(range, bytes);
    });
  }

  /** It was to be longer: what came is no answer, and the client has to see that. */
  #fail(error: unknown): void {
    this.#error = error ?? undefined;
    this.#options.stream.fail();
  }

  #write(range: ByteRange, bytes: number): void {
    this.#offset += bytes;
    if (this.#offset === lengthOf(range)) {
      this.#segment += 1;
      this.#offset = 0;
    }
    if (this.#options.stream.write(this.#buffer.subarray(0, bytes))) this.#next();
  }

  /** The disk may write into the buffer as long as it reads. */
  #finish(): void {
    if (this.#isReading || this.#isDone) return;
    this.#isDone = true;
    this.#options.buffers.give(this.#buffer);
    this.#options.done(this.#error);
  }
}
