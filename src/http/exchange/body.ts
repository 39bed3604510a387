// Reads a request body into one buffer, valid until `received` returns: the engine's memory for a body
// of one piece, else a buffer that the next body reuses. A body above the limit is refused by its Content-Length or by its count.

// The import is cheaper: the global Buffer is an accessor.
import { Buffer } from "node:buffer";
import { Deadline, type Deadlines } from "../native/deadlines.js";
import { CHUNKED } from "../native/framing.js";
import { Refusal } from "../refusal/refusal.js";
import { BODIES_FULL } from "./body-memory.js";
import { BufferPool } from "./buffer-pool.js";
import { ByteCollector } from "./byte-collector.js";
import type { BodyTaker } from "./outlasting.js";

const buffers = new BufferPool();

const MAX_BYTES = 2_147_483_647;

/** Initial buffer size of a chunked body. */
const CHUNKED_BUFFER_BYTES = 16_384;

/** The exchange whose body is read. */
export interface BodySource {
  /** Bytes, or CHUNKED if unknown. */
  readonly bodyLength: number;
  /** Sets the memory that the body takes. Returns false if there is no room. */
  reserve(bytes: number): boolean;
  receive(taker: BodyTaker): void;
}

export interface BodyReceiver<E> {
  /** `body` is valid until this returns. */
  received(exchange: E, body: Buffer): void;
  refused(exchange: E, refusal: Refusal): void;
  /** The client disconnected before the body was complete. */
  left?(exchange: E): void;
}

export const tooLarge = (limit: number): Refusal =>
  new Refusal("BODY_TOO_LARGE", { detail: `At most ${limit} bytes`, ends: true });

export const TIMED_OUT = new Refusal("BODY_TIMEOUT", { ends: true });

/** Reserves the memory of a body that is kept, or of the first pieces of another one. Returns false if there is no room. */
export function reserveBody(exchange: BodySource, isKept: boolean, limit: number): boolean {
  const { bodyLength } = exchange;
  if (bodyLength === 0) return true;
  return exchange.reserve(
    Math.min(isKept && bodyLength !== CHUNKED ? bodyLength : CHUNKED_BUFFER_BYTES, limit),
  );
}

/** Calls the receiver once. The caller has reserved the memory of a body with a length. */
export function readBody<E extends BodySource>(
  exchange: E,
  allowed: number,
  deadlines: Deadlines,
  receiver: BodyReceiver<E>,
): void {
  const limit = Math.min(allowed, MAX_BYTES);
  // hole: a client could fill the memory
  if (exchange.bodyLength > limit) {
    receiver.refused(exchange, tooLarge(limit));
    return;
  }
  const reading = new BodyReading(exchange, limit, deadlines, receiver);
  deadlines.append(reading);
  exchange.receive(reading);
}

// One object per body: closures would cost 0.3 µs more.
class BodyReading<E extends BodySource> extends Deadline implements BodyTaker {
  readonly #exchange: E;
  readonly #limit: number;
  readonly #deadlines: Deadlines;
  readonly #receiver: BodyReceiver<E>;
  #collected: ByteCollector | null = null;
  #isOver = false;

  constructor(exchange: E, limit: number, deadlines: Deadlines, receiver: BodyReceiver<E>) {
    super();
    this.#exchange = exchange;
    this.#limit = limit;
    this.#deadlines = deadlines;
    this.#receiver = receiver;
  }

  take(piece: ArrayBuffer, last: boolean): void {
    if (this.#isOver) return;
    const collected = this.#collected;
    const length = (collected === null ? 0 : collected.length) + piece.byteLength;
    if (length > this.#limit) {
      this.#refuse(tooLarge(this.#limit));
    } else if (this.#exchange.bodyLength === CHUNKED && !this.#fits(length)) {
      this.#refuse(BODIES_FULL);
    } else if (last && collected === null) {
      this.#stop();
      this.#receiver.received(this.#exchange, Buffer.from(piece));
    } else {
      this.#collect(new Uint8Array(piece), last);
    }
  }

  left(): void {
    if (this.#isOver) return;
    this.#stop();
    this.#receiver.left?.(this.#exchange);
  }

  #stop(): void {
    this.#end();
    this.#release();
  }

  expire(): void {
    this.#refuse(TIMED_OUT);
  }

  #fits(length: number): boolean {
    return this.#exchange.reserve(Math.max(length, CHUNKED_BUFFER_BYTES));
  }

  #collect(piece: Uint8Array, last: boolean): void {
    const { bodyLength } = this.#exchange;
    this.#collected ??= new ByteCollector(
      bodyLength === CHUNKED ? CHUNKED_BUFFER_BYTES : bodyLength,
      buffers,
    );
    this.#collected.add(piece);
    if (!last) return;
    this.#end();
    this.#receiver.received(this.#exchange, this.#collected.bytes());
    this.#release();
  }

  #end(): void {
    this.#isOver = true;
    this.#deadlines.remove(this);
  }

  #release(): void {
    this.#collected?.release();
    this.#collected = null;
  }

  #refuse(refusal: Refusal): void {
    this.#stop();
    this.#receiver.refused(this.#exchange, refusal);
  }
}
