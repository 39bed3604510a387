// A response written in pieces: with a Content-Length if the length is known, else chunked.
//
//   AS1. Once it is over, no call has an effect and the native response is not touched (X1).
//   AS2. Pieces that the client has not read wait here, not in the engine. Chunked, the engine accepts
//        any size and buffers the rest until the next write or cork, so it gets small slices.
//   AS3. With a known length the response is over at its last byte. A shorter or longer body closes
//        the connection, so that no client accepts it as complete.
//   AS4. The engine sends the head with the first piece, or with `end`.
//
// The engine disconnects a client that reads nothing for 12 s, but never an idle stream.

import type { Closing } from "../native/head-fields.js";
import type { NativeResponse } from "../native/port.js";
import type { AnswerHead } from "./answer-heads.js";

export type StreamEnd = "whole" | "gone" | "failed" | "misstated";

/** "queued" until its macrotask (X3); "full" until the client has read the written bytes. */
type State = "queued" | "ready" | "full" | "over";

/** Bytes per chunked write. PROBE_BYTES while the engine may still buffer bytes. */
const SLICE_BYTES = 65_536;
const PROBE_BYTES = 4096;

/** Shared, because a long stream is mostly idle. */
const NONE: Uint8Array[] = [];

const NOTHING = new Uint8Array(0);

const nothing = (): void => {};

export interface AnswerStreamOptions {
  /** Null if it is written already. */
  readonly head: AnswerHead | null;
  /** Bytes; undefined if unknown. */
  readonly length: number | undefined;
  /** Closes the connection after the response. */
  readonly ends: boolean;
  /** Leaves it to the exchange to end the response for the engine. */
  readonly isLate?: boolean;
}

export interface AnswerStream {
  /** Called when the next piece can be written, after `write` returned false. */
  onWritable: (() => void) | null;
  onOver: ((how: StreamEnd) => void) | null;
  readonly isOver: boolean;
  /** Returns false if the next piece must wait for `onWritable`. */
  write(piece: Uint8Array | string): boolean;
  end(): void;
  /** Closes the connection, so that no client accepts the response as complete. */
  fail(): void;
}

/** The exchange of a streamed response. */
export interface StreamedExchange {
  readonly phase: string;
  readonly observation: { handed(bytes: number): void } | null;
  /** "alone": the engine closes the connection after the response. */
  readonly closing: Closing;
  /** True while the rest of the body is read. */
  readonly isDiscarding: boolean;
  writeHead(head: AnswerHead, body: string | Uint8Array | null): void;
  finish(): void;
  /** Called instead of `finish` for a response of that length which is unended for the engine. */
  leave(length: number): void;
  /** Closes the connection without a response. */
  close(): void;
}

export class NativeAnswerStream implements AnswerStream {
  onWritable: (() => void) | null = null;
  onOver: ((how: StreamEnd) => void) | null = null;
  readonly #exchange: StreamedExchange;
  readonly #response: NativeResponse;
  readonly #length: number | undefined;
  readonly #ends: boolean;
  #head: AnswerHead | null;
  #state: State;
  #waiting = NONE;
  #written = 0;
  #handed = 0;
  #slice = SLICE_BYTES;
  #hasBegun = false;
  #isEnding = false;
  #isUnended: boolean;
  #listens = false;

  constructor(
    exchange: StreamedExchange,
    response: NativeResponse,
    options: AnswerStreamOptions,
    isOpen = true,
  ) {
    this.#exchange = exchange;
    this.#response = response;
    this.#length = options.length;
    this.#ends = options.ends;
    this.#isUnended = options.isLate === true;
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

  /** Starts writing, in its macrotask (X3). */
  begin(): void {
    if (this.#state !== "queued") return;
    this.#state = "ready";
    this.#goOn();
  }

  left(): void {
    if (this.#exchange.phase === "aborted") this.#end("gone");
    else this.fail();
  }

  #flush(): void {
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
    const [isTaken, isDone] = this.#response.tryEnd(piece, this.#isUnended ? length + 1 : length);
    this.#note(isDone ? length : this.#response.getWriteOffset());
    if (this.#handed === length) this.#end("whole");
    else if (!isTaken) this.#fill();
    return this.#handed - before;
  }

  #finish(): void {
    if (this.#hasBegun) {
      // Asked to close the connection here, the engine would write a `connection` header among the chunks (X4).
      if (this.#ends) this.#response.pause();
      this.#response.end("");
    } else {
      // With a length of 0 the engine writes both headers itself.
      this.#writeHead();
      this.#response.end("", this.#ends);
    }
    this.#end("whole");
  }

  #begin(): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#writeHead();
      if (this.#ends) this.#beginLast();
      // Writes the length. For the engine the body has one byte more, which never comes (X4).
      if (this.#isUnended) this.#response.tryEnd(NOTHING, this.#length as number);
    }
    this.#readNoMore();
  }

  #beginLast(): void {
    const { closing, isDiscarding } = this.#exchange;
    this.#response.writeHeader("connection", "close");
    this.#isUnended = this.#length !== undefined && (closing !== "alone" || isDiscarding);
  }

  #writeHead(): void {
    const head = this.#head;
    this.#head = null;
    if (head !== null) this.#exchange.writeHead(head, null);
  }

  /** Called before each piece: a partial write makes the engine read again (X4). */
  #readNoMore(): void {
    if (this.#ends && !this.#exchange.isDiscarding) this.#response.pause();
  }

  #note(handed: number): void {
    this.#handed = handed;
    this.#exchange.observation?.handed(handed);
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
    // Closed in the same turn, the engine would drop its corked bytes.
    setImmediate(() => exchange.close());
  }

  #end(how: StreamEnd): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#waiting = NONE;
    if (how === "whole") {
      if (this.#isUnended) this.#exchange.leave(this.#handed);
      else this.#exchange.finish();
    }
    const { onOver } = this;
    this.onWritable = null;
    this.onOver = null;
    onOver?.(how);
  }
}
