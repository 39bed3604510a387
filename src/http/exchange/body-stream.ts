// A request body as it arrives, for a reader that reads it piece by piece.
//
//   BS1. Unread pieces wait in a queue. Above WINDOW_BYTES the connection is paused until most of
//        them are read. The engine may still deliver pieces; these go into a file. The body limit
//        bounds both.
//   BS2. The client must send a byte before each deadline (408), except while paused or before the
//        guards have passed. The reader must read a piece within STALLS deadlines (503).
//   BS3. The stream ends once: with the last piece, a failure, or the end of the run. The queue is
//        dropped then, and a reader gets an error: half a body must not pass for a complete one.

import type { Deadline, Deadlines } from "../native/deadlines.js";
import { Refusal } from "../refusal/refusal.js";
import { type BodySource, TIMED_OUT, tooLarge } from "./body.js";
import { BODIES_FULL } from "./body-memory.js";
import { PieceQueue } from "./piece-queue.js";

const WINDOW_BYTES = 262_144;
const RESUME_BYTES = 65_536;
const STALLS = 4;

const UNSTORED = new Refusal("STORAGE_UNAVAILABLE", { ends: true });
const UNREAD = new Refusal("BODY_UNREAD", { ends: true });

/** `code` is BODY_ABORTED, BODY_RELEASED, or the code of the refusal. */
class BodyStreamError extends Error {
  override readonly name = "BodyStreamError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Waiter {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: BodyStreamError) => void;
}

export interface BodyStreamOptions {
  readonly limit: number;
  /** Memory that is reserved for the whole body, if its reader keeps it. */
  readonly reserved?: number;
  readonly deadlines: Deadlines;
  readonly refused: (refusal: Refusal) => void;
  /** Called with a file-system error. */
  readonly unstored: (error: unknown) => void;
}

/** The exchange whose body is read as it arrives. */
interface PausedSource extends BodySource {
  pause(): void;
  resume(): void;
}

const DONE: IteratorResult<Uint8Array, undefined> = { done: true, value: undefined };

/** The pieces of a body as they arrive. In TypeScript 5.5 AsyncIterableIterator has no second parameter. */
export interface ByteStream extends AsyncIterator<Uint8Array, undefined> {
  [Symbol.asyncIterator](): ByteStream;
}

export class BodyStream implements ByteStream {
  readonly #exchange: PausedSource;
  readonly #options: BodyStreamOptions;
  readonly #queue = new PieceQueue((bytes) => this.#reserve(bytes, this.#kept));
  /** Bytes that the reader keeps in memory. */
  #kept = 0;
  #waiters: Waiter[] = [];
  #received = 0;
  #isWhole = false;
  #error: BodyStreamError | undefined;
  #isPaused = false;
  #isWanted = false;
  #isReleased = false;
  #refusal: Refusal | undefined;
  #stalls = 0;
  #deadline: Deadline | undefined;
  #hooks: (() => void)[] = [];

  /** Call it in the handler. */
  constructor(exchange: PausedSource, options: BodyStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    if (exchange.bodyLength === 0) {
      this.#isWhole = true;
      return;
    }
    exchange.receive({
      take: (piece, last) => this.#take(new Uint8Array(piece), last),
      left: () => this.#abort(),
    });
    this.#watch();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Resolves to the next piece. Rejects if the body will be incomplete. */
  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#stored(() => this.#queue.shift());
    if (value !== undefined) {
      this.#stalls = 0;
      if (this.#isPaused && this.#queue.length <= RESUME_BYTES) this.#resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isWhole) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Called after the guards passed (BS2). Returns the refusal if the body was refused meanwhile. */
  want(): Refusal | undefined {
    this.#isWanted = true;
    if (!this.#isWhole && this.#error === undefined) this.#watch();
    return this.#refusal;
  }

  /** Counts bytes of the body that its reader keeps in memory. Returns a Refusal if there is no room. */
  keep(bytes: number): Refusal | undefined {
    if (!this.#reserve(this.#queue.inMemory, this.#kept + bytes)) return BODIES_FULL;
    this.#kept += bytes;
    return undefined;
  }

  #reserve(queued: number, kept: number): boolean {
    const { reserved = 0 } = this.#options;
    return this.#exchange.reserve(Math.max(reserved, queued + kept));
  }

  /** Discards the rest. Leaving a `for await` calls it. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#end(new BodyStreamError("BODY_RELEASED", "The body was given up"));
    return Promise.resolve(DONE);
  }

  #abort(): void {
    this.#end(new BodyStreamError("BODY_ABORTED", "The client went away before its body was whole"));
  }

  failToStore(error: unknown): void {
    this.#refuse(UNSTORED);
    this.#options.unstored(error);
  }

  release(): void {
    this.#end(new BodyStreamError("BODY_RELEASED", "The body was read after its run was over"));
    this.#isReleased = true;
    const hooks = this.#hooks;
    this.#hooks = [];
    for (const hook of hooks) this.#call(hook);
  }

  /** Calls `hook` at the end of the run, or at once after it. Its errors are reported as file-system errors. */
  whenReleased(hook: () => void): void {
    if (this.#isReleased) this.#call(hook);
    else this.#hooks.push(hook);
  }

  #call(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.#options.unstored(error);
    }
  }

  #take(piece: Uint8Array, last: boolean): void {
    // Discarded bytes count too.
    this.#received += piece.length;
    // hole: a client that names no length could send without end
    if (this.#received > this.#options.limit) {
      this.#refuse(tooLarge(this.#options.limit));
      return;
    }
    if (this.#error !== undefined) return;
    if (piece.length > 0) this.#hand(piece);
    if (last) this.#complete();
    else this.#watch();
  }

  #hand(piece: Uint8Array): void {
    const waiter = this.#waiters.shift();
    // A copy, because the engine detaches the piece when this returns.
    if (waiter !== undefined) waiter.resolve({ done: false, value: piece.slice() });
    else this.#stored(() => this.#queue.push(piece));
    if (this.#queue.length < WINDOW_BYTES || this.#isPaused) return;
    this.#isPaused = true;
    this.#stalls = 0;
    this.#exchange.pause();
  }

  #stored<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.failToStore(error);
      return undefined;
    }
  }

  #resume(): void {
    this.#isPaused = false;
    this.#exchange.resume();
    this.#watch();
  }

  #complete(): void {
    this.#isWhole = true;
    this.#unwatch();
    for (const waiter of this.#waiters) waiter.resolve(DONE);
    this.#waiters = [];
  }

  #watch(): void {
    this.#unwatch();
    this.#deadline = this.#options.deadlines.add(() => this.#due());
  }

  #unwatch(): void {
    if (this.#deadline !== undefined) this.#options.deadlines.remove(this.#deadline);
  }

  #due(): void {
    if (this.#isWanted && !this.#isPaused) {
      this.#refuse(TIMED_OUT);
      return;
    }
    if (this.#isWanted) this.#stalls += 1;
    if (this.#stalls >= STALLS) {
      this.#refuse(UNREAD);
      return;
    }
    if (this.#isPaused) {
      this.#exchange.resume();
      this.#exchange.pause();
    }
    this.#watch();
  }

  #refuse(refusal: Refusal): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = refusal;
    const { code, title } = refusal.problem;
    this.#end(new BodyStreamError(code, title));
    if (this.#isWanted) this.#options.refused(refusal);
  }

  #end(error: BodyStreamError): void {
    if (this.#error !== undefined) return;
    if (!this.#isWhole || this.#queue.length > 0) this.#error = error;
    this.#queue.clear();
    this.#unwatch();
    this.#isPaused = false;
    this.#exchange.resume();
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters = [];
  }
}
