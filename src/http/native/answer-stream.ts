// An answer that is handed over piece by piece: with a Content-Length where its length is
// known, else in chunks.
//
//   AS1. Once it is over nothing of it touches the native response (X1), and every call is
//        without effect: whoever writes need not know that the client has gone.
//   AS2. What the client has not taken waits here, and little of it in the engine. That
//        takes over whatever it is given in chunks, calls `onWritable` when its own buffer
//        is not empty yet, and does not empty it by itself then (20.51.4, measured: a
//        piece of 30 MB stayed there, and pieces of 4 MB grew to 33 MB). So it is given
//        slices, a small one first, and corked for no other end than that it sends.
//   AS3. Of a known length it is over with its last byte. What is shorter, or longer than it
//        was said to be, ends the connection, so that no client takes it for whole.
//   AS4. The engine sends the head with the first piece, or with `end`.
//
// How long it may take (20.51.4, measured): a client that leaves no room for anything is cut
// after 12 s. Nobody is cut because there is nothing to send: of answers with and without a
// length, silent for 40 s from the beginning, after a piece and after one that had to wait, none was.

import type { AnswerHead } from "../answer-heads.js";
import type { Exchange } from "./exchange.js";
import type { NativeResponse } from "./port.js";

/** How it ended: handed over whole; the client went away; given up, or not of the length that it was said to have. */
export type StreamEnd = "whole" | "gone" | "failed" | "misstated";

/** "queued" until its turn has come (X3); "full" until the client has taken what it was given. */
type State = "queued" | "ready" | "full" | "over";

/** In chunks the engine is given no more at a time; and no more where it may still have some. */
const SLICE_BYTES = 65_536;
const PROBE_BYTES = 4096;

/** Streams that last are mostly idle: they keep no list of their own meanwhile. */
const NONE: Uint8Array[] = [];

const nothing = (): void => {};

export interface AnswerStreamOptions {
  /** Null where it is written already, and its turn has come. */
  readonly head: AnswerHead | null;
  /** Bytes; undefined where nobody knows. */
  readonly length: number | undefined;
  /** Whether the connection ends with it. */
  readonly ends: boolean;
}

/** Made by `Exchange.stream`. */
export interface AnswerStream {
  /** Called when the next piece can be written, after a `write` that answered false. */
  onWritable: (() => void) | null;
  /** Called once, when it is over. */
  onOver: ((how: StreamEnd) => void) | null;
  /** Whether it ended, in whatever way. */
  readonly isOver: boolean;
  /** Takes a piece over; false where the next one is to wait for `onWritable`. Text is written in UTF-8. */
  write(piece: Uint8Array | string): boolean;
  /** It is whole. */
  end(): void;
  /** Ends the connection, so that nobody takes it for whole. */
  fail(): void;
}

export class NativeAnswerStream implements AnswerStream {
  onWritable: (() => void) | null = null;
  onOver: ((how: StreamEnd) => void) | null = null;
  readonly #exchange: Exchange;
  readonly #response: NativeResponse;
  readonly #length: number | undefined;
  readonly #ends: boolean;
  #head: AnswerHead | null;
  #state: State;
  /** What was written and is not handed over yet. */
  #waiting = NONE;
  /** Bytes that were written; and of those, how many the engine has. */
  #written = 0;
  #handed = 0;
  #slice = SLICE_BYTES;
  #hasBegun = false;
  #isEnding = false;
  #listens = false;

  /** `isOpen`: whether there is a client. */
  constructor(exchange: Exchange, response: NativeResponse, options: AnswerStreamOptions, isOpen = true) {
    this.#exchange = exchange;
    this.#response = response;
    this.#length = options.length;
    this.#ends = options.ends;
    this.#head = options.head;
    this.#state = isOpen ? (options.ends && options.head !== null ? "queued" : "ready") : "over";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  get #isTaking(): boolean {
    return this.#state === "ready";
  }

  write(piece: Uint8Array | string): boolean {
    if (this.#state === "over" || this.#isEnding) return false;
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    if (bytes.length === 0) return this.#isTaking;
    this.#written += bytes.length;
    if (this.#length !== undefined && this.#written > this.#length) {
      this.#fall("misstated");
      return false;
    }
    if (this.#waiting === NONE) this.#waiting = [bytes];
    else this.#waiting.push(bytes);
    if (this.#state === "ready") this.#flush();
    return this.#isTaking;
  }

  end(): void {
    if (this.#state === "over" || this.#isEnding) return;
    if (this.#length !== undefined && this.#written < this.#length) {
      this.#fall("misstated");
      return;
    }
    this.#isEnding = true;
    if (this.#state === "ready") this.#flush();
  }

  fail(): void {
    if (this.#state !== "over") this.#fall("failed");
  }

  /** Its turn has come, where it ends the connection (X3). */
  begin(): void {
    if (this.#state !== "queued") return;
    this.#state = "ready";
    this.#goOn();
  }

  /** The client went away, or nobody wants the answer any more. */
  left(): void {
    if (this.#exchange.phase === "aborted") this.#end("gone");
    else this.fail();
  }

  #flush(): void {
    // In the handler and its like the engine has corked it, and does no more than call.
    this.#response.cork(() => this.#handOver());
  }

  #handOver(): void {
    const waiting = this.#waiting;
    while (this.#state === "ready" && waiting.length > 0) {
      const piece = waiting[0] as Uint8Array;
      const taken = this.#length === undefined ? this.#chunk(piece) : this.#tryPiece(piece, this.#length);
      // A handler of `onAborted` may have run meanwhile.
      if (this.isOver) return;
      if (taken === piece.length) waiting.shift();
      else waiting[0] = piece.subarray(taken);
    }
    if (waiting.length === 0) this.#waiting = NONE;
    if (this.#isEnding && this.#state === "ready") this.#finish();
  }

  #chunk(piece: Uint8Array): number {
    const slice = piece.length > this.#slice ? piece.subarray(0, this.#slice) : piece;
    this.#begin();
    const isTaken = this.#response.write(slice);
    this.#note(this.#handed + slice.length);
    if (isTaken) this.#slice = SLICE_BYTES;
    else this.#fill();
    return slice.length;
  }

  #tryPiece(piece: Uint8Array, length: number): number {
    const before = this.#handed;
    this.#begin();
    const [isTaken, isDone] = this.#response.tryEnd(piece, length);
    if (isDone) {
      this.#note(length);
      this.#end("whole");
    } else {
      this.#note(this.#response.getWriteOffset());
      if (!isTaken) this.#fill();
    }
    return this.#handed - before;
  }

  #finish(): void {
    if (this.#hasBegun) {
      // Told to end the connection now, the engine would write that header among the chunks (X4).
      this.#readNoMore();
      this.#response.end("");
    } else {
      // A length of 0 is the engine's to say, and so is that the connection ends with it.
      this.#writeHead();
      this.#response.end("", this.#ends);
    }
    this.#end("whole");
  }

  #begin(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#writeHead();
      if (this.#ends) this.#response.writeHeader("connection", "close");
    }
    this.#readNoMore();
  }

  #writeHead(): void {
    const head = this.#head;
    this.#head = null;
    if (head !== null) this.#exchange.writeHead(head, null);
  }

  /** Before each piece: one that is not taken whole makes the engine read again (X4). */
  #readNoMore(): void {
    if (this.#ends) this.#response.pause();
  }

  #note(handed: number): void {
    this.#handed = handed;
    this.#exchange.particulars.observation?.handed(handed);
  }

  #fill(): void {
    this.#state = "full";
    this.#slice = PROBE_BYTES;
    if (this.#listens) return;
    this.#listens = true;
    this.#response.onWritable(() => this.#drained());
  }

  #drained(): boolean {
    if (this.#state === "full") {
      this.#state = "ready";
      this.#goOn();
    }
    if (!this.isOver) this.#response.cork(nothing);
    return this.#isTaking;
  }

  #goOn(): void {
    if (this.#waiting.length > 0 || this.#isEnding) this.#flush();
    if (this.#state === "ready") this.onWritable?.();
  }

  #fall(how: StreamEnd): void {
    const exchange = this.#exchange;
    this.#end(how);
    // Closed in the same turn, the engine would drop what it has corked: the client would see no answer at all.
    setImmediate(() => exchange.close());
  }

  #end(how: StreamEnd): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#waiting = NONE;
    if (how === "whole") this.#exchange.finish();
    const { onOver } = this;
    this.onWritable = null;
    this.onOver = null;
    onOver?.(how);
  }
}
