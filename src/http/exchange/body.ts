// Reads a request's body into one buffer: the engine's own memory, until `received` returns, where
// the body came in one piece. Too large a body is refused by its Content-Length, or once counted.

// The global is an accessor.
import { Buffer } from "node:buffer";
import { Deadline, type Deadlines } from "../native/deadlines.js";
import { CHUNKED } from "../native/framing.js";
import { Refusal } from "../refusal/refusal.js";
import { ByteCollector } from "./byte-collector.js";
import type { BodyTaker } from "./outlasting.js";

const MAX_BYTES = 2_147_483_647;

/** The first guess for a chunked body; doubled as it grows. */
const CHUNKED_BUFFER_BYTES = 16_384;

/** The exchange whose body is read. */
export interface BodySource {
  /** CHUNKED where unknown. */
  readonly bodyLength: number;
  receive(taker: BodyTaker): void;
}

export interface BodyReceiver<E> {
  received(exchange: E, body: Buffer): void;
  refused(exchange: E, refusal: Refusal): void;
}

export const tooLarge = (limit: number): Refusal =>
  new Refusal("BODY_TOO_LARGE", { detail: `At most ${limit} bytes`, ends: true });

export const TIMED_OUT = new Refusal("BODY_TIMEOUT", { ends: true });

/** Calls the receiver once; not at all where the client disconnects. */
export function readBody<E extends BodySource>(
  exchange: E,
  allowed: number,
  deadlines: Deadlines,
  receiver: BodyReceiver<E>,
): void {
  const limit = Math.min(allowed, MAX_BYTES);
  if (exchange.bodyLength > limit) {
    receiver.refused(exchange, tooLarge(limit));
    return;
  }
  const reading = new BodyReading(exchange, limit, deadlines, receiver);
  deadlines.append(reading);
  exchange.receive(reading);
}

// One object per body: closures would cost a third of a microsecond.
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
    if ((collected === null ? 0 : collected.length) + piece.byteLength > this.#limit) {
      this.#refuse(tooLarge(this.#limit));
    } else if (last && collected === null) {
      this.left();
      this.#receiver.received(this.#exchange, Buffer.from(piece));
    } else {
      this.#collect(new Uint8Array(piece), last);
    }
  }

  left(): void {
    this.#isOver = true;
    this.#deadlines.remove(this);
  }

  expire(): void {
    this.#refuse(TIMED_OUT);
  }

  #collect(piece: Uint8Array, last: boolean): void {
    const { bodyLength } = this.#exchange;
    this.#collected ??= new ByteCollector(bodyLength === CHUNKED ? CHUNKED_BUFFER_BYTES : bodyLength);
    this.#collected.add(piece);
    if (!last) return;
    this.left();
    this.#receiver.received(this.#exchange, this.#collected.bytes());
  }

  #refuse(refusal: Refusal): void {
    this.left();
    this.#receiver.refused(this.#exchange, refusal);
  }
}
