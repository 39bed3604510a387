// Sends what is not in memory. The file is opened here, when the run is over, and not by the
// step: an answer that a layer puts aside, or nobody waits for any more, leaves nothing open.
//
//   FS1. Who waits for his turn, or for the disk, waits as long as his route may take: then he
//        is answered 503, or 504, and what is opened for him after that is closed again.

import type { Reporter } from "#core/reporter.js";
import type { AnswerHead } from "../answer-heads.js";
import { internal } from "../fault-problem.js";
import type { Exchange } from "../native/exchange.js";
import { sendFailure, sendRefusal } from "../problem-answer.js";
import { Refusal } from "../refusal.js";
import { reportIds } from "../report-ids.js";
import type { AnsweredRoute } from "../sent-answer.js";
import { bytesOfSegments, FilePump, type Segment } from "./file-pump.js";
import type { FileVariant } from "./file-variant.js";
import { PieceBuffers } from "./piece-buffers.js";
import { closeQuietly, type RootFolder } from "./root-folder.js";
import { Slots } from "./slots.js";

export interface SenderOptions {
  readonly root: RootFolder;
  /** Files that are being sent at once; who asks for one more waits. */
  readonly maxOpenFiles: number;
  readonly reporter: Reporter;
  readonly production: boolean;
}

/** Changed between the look at it and the answer: asked for again it will be the new one. */
const CHANGED = new Refusal("FILE_CHANGED", { headers: { "retry-after": "1" } });

/** All places were taken for as long as the route may take. */
const NO_TURN = new Refusal("OVERLOADED", {
  detail: "Too many files are being sent",
  headers: { "retry-after": "1" },
});
const NOT_OPENED = new Refusal("ROUTE_TIMEOUT");

export class FileSender {
  readonly #options: SenderOptions;
  readonly #slots: Slots;
  readonly #buffers = new PieceBuffers();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxOpenFiles);
  }

  /** Answers these parts of a file, behind `head`. */
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
    // Before the turn comes, which may be now (FS1).
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

  /** Never rejects. */
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
        this.#pump(exchange, head, opened.fd, segments);
        return;
      }
      if (exchange.isOpen) sendRefusal(exchange, CHANGED);
    } catch (error) {
      const message = this.#report(exchange, error);
      if (exchange.isOpen) sendFailure(exchange, internal(message, error, this.#options.production));
    }
    this.#close(fd);
  }

  #pump(exchange: Exchange, head: AnswerHead, fd: number, segments: readonly Segment[]): void {
    const stream = exchange.stream(head, bytesOfSegments(segments));
    const done = (error?: unknown): void => {
      this.#close(fd);
      if (error !== undefined) this.#report(exchange, error);
    };
    new FilePump({ stream, fd, segments, buffers: this.#buffers, done }).start();
  }

  #close(fd: number | undefined): void {
    if (fd !== undefined) closeQuietly(fd);
    this.#slots.leave();
  }

  #report(exchange: Exchange, error: unknown): string {
    const message = "A file could not be read";
    this.#options.reporter({ code: "FILE_UNREAD", message, error, ...reportIds(exchange) });
    return message;
  }
}
