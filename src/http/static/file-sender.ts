// Sends files that are not in memory. The file is opened here, after the run, so that a discarded
// response leaves nothing open. The route's time-out bounds the wait for a slot (503) and for the
// disk (504).

import type { Reporter } from "#core/bus/reporter.js";
import { internal } from "../answer/fault-problem.js";
import { sendFailure, sendRefusal } from "../answer/problem-answer.js";
import type { AnsweredRoute } from "../answer/sent-answer.js";
import type { AnswerHead } from "../exchange/answer-heads.js";
import type { AnswerStream } from "../exchange/answer-stream.js";
import type { Exchange } from "../exchange/exchange.js";
import { Refusal } from "../refusal/refusal.js";
import { type ByteRange, lengthOf } from "./byte-ranges.js";
import { type FileVariant, readFrom } from "./file-variant.js";
import { closeQuietly, type RootFolder } from "./root-folder.js";
import { Slots } from "./slots.js";

export interface SenderOptions {
  readonly root: RootFolder;
  /** Files open at once. Further requests wait. */
  readonly maxOpenFiles: number;
  readonly reporter: Reporter;
  readonly production: boolean;
}

/** The file changed after the look-up. */
const CHANGED = new Refusal("FILE_CHANGED", { headers: { "retry-after": "1" } });

const NO_TURN = new Refusal("OVERLOADED", {
  detail: "Too many files are being sent",
  headers: { "retry-after": "1" },
});
const NOT_OPENED = new Refusal("ROUTE_TIMEOUT");

const PIECE_BYTES = 131_072;
const MAX_SPARE = 32;

export class FileSender {
  readonly #options: SenderOptions;
  readonly #slots: Slots;
  /** Buffers to reuse. */
  readonly #spare: Buffer[] = [];

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxOpenFiles);
  }

  /** Sends segments of a file after `head`. */
  send(
    exchange: Exchange,
    head: AnswerHead,
    variant: FileVariant,
    segments: readonly Segment[],
    route: AnsweredRoute,
  ): void {
    if (exchange.method === "HEAD") {
      exchange.stream(head, bytesOfSegments(segments));
      return;
    }
    exchange.wait();
    let hasTurn = false;
    // Before `take`, which may call back at once.
    const deadline = route.deadlines.add(() => {
      sendRefusal(exchange, hasTurn ? NOT_OPENED : NO_TURN);
      exchange.abandon();
    });
    const inTime = (): void => route.deadlines.remove(deadline);
    const giveUp = this.#slots.take(() => {
      hasTurn = true;
      void this.#open(exchange, head, variant, segments).finally(inTime);
    });
    exchange.whenAborted(() => {
      giveUp();
      inTime();
    });
  }

  async #open(
    exchange: Exchange,
    head: AnswerHead,
    variant: FileVariant,
    segments: readonly Segment[],
  ): Promise<void> {
    let fd: number | undefined;
    try {
      const opened = await this.#options.root.open(variant.path);
      fd = opened?.fd;
      if (opened !== undefined && variant.isOf(opened.stats) && exchange.isOpen) {
        void this.#pump(exchange, head, opened.fd, segments);
        return;
      }
      if (exchange.isOpen) sendRefusal(exchange, CHANGED);
    } catch (error) {
      const message = this.#report(exchange, error);
      if (exchange.isOpen) sendFailure(exchange, internal(message, error, this.#options.production));
    }
    this.#close(fd);
  }

  /** Never rejects. */
  async #pump(exchange: Exchange, head: AnswerHead, fd: number, segments: readonly Segment[]): Promise<void> {
    const stream = exchange.stream(head, bytesOfSegments(segments));
    const buffer = this.#spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    try {
      await pump(stream, fd, segments, buffer);
    } catch (error) {
      if (!stream.isOver) this.#report(exchange, error);
      stream.fail();
    }
    if (this.#spare.length < MAX_SPARE) this.#spare.push(buffer);
    this.#close(fd);
  }

  #close(fd: number | undefined): void {
    if (fd !== undefined) closeQuietly(fd);
    this.#slots.leave();
  }

  #report(exchange: Exchange, error: unknown): string {
    const message = "A file could not be read";
    this.#options.reporter({ code: "FILE_UNREAD", message, error, ...exchange.reportIds });
    return message;
  }
}

/** A part of the file, or text between parts. */
export type Segment = ByteRange | Buffer;

export const bytesOfSegments = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + (Buffer.isBuffer(segment) ? segment.length : lengthOf(segment)), 0);

/** Reads a piece when the client has read the previous one. A slow client costs one buffer and one descriptor. */
async function pump(
  stream: AnswerStream,
  fd: number,
  segments: readonly Segment[],
  buffer: Buffer,
): Promise<void> {
  let wake = (): void => {};
  stream.onWritable = () => wake();
  stream.onOver = () => wake();
  const write = async (piece: Buffer): Promise<void> => {
    if (!stream.write(piece) && !stream.isOver)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  for (const segment of segments) {
    if (Buffer.isBuffer(segment)) await write(segment);
    else
      for (let at = segment.first; at <= segment.last && !stream.isOver; ) {
        const length = Math.min(buffer.length, segment.last + 1 - at);
        const { bytesRead } = await readFrom(fd, buffer, 0, length, at);
        // The file became shorter: the client must detect that.
        if (bytesRead === 0) stream.fail();
        at += bytesRead;
        await write(buffer.subarray(0, bytesRead));
      }
  }
  stream.end();
}
