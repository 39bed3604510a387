// Reads a request's body into one piece of memory.
//
//   D1. A body that came whole is given as the engine's own memory, without a copy,
//       and only until `received` returns.
//   D2. What does not fit the limit is refused by its Content-Length before it is
//       read, and else as soon as it is counted.

// The global one is made ready anew at each look at it.
import { Buffer } from "node:buffer";

import { Collected } from "../collected.js";
import { Refusal } from "../refusal.js";
import { Deadline, type Deadlines } from "./deadlines.js";
import type { Exchange } from "./exchange.js";
import { CHUNKED } from "./framing.js";
import type { BodyTaker } from "./outlasting.js";

/** What one piece of memory takes, whatever the route allows: more has to be streamed. */
const MAX_BYTES = 2_147_483_647;

/** A first guess for bodies that do not say their length; doubled as they grow. */
const CHUNKED_BUFFER_BYTES = 16_384;

/** Who the body is for. */
export interface BodyReceiver {
  received(exchange: Exchange, body: Buffer): void;
  refused(exchange: Exchange, refusal: Refusal): void;
}

export const tooLarge = (limit: number): Refusal =>
  new Refusal("BODY_TOO_LARGE", { detail: `At most ${limit} bytes`, ends: true });

export const TIMED_OUT = new Refusal("BODY_TIMEOUT", { ends: true });

/** Gives the receiver the body or a refusal; neither where the client goes away. */
export function readBody(
  exchange: Exchange,
  allowed: number,
  deadlines: Deadlines,
  receiver: BodyReceiver,
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

// One object for all that may come of a body: a function for each would cost a third of
// a microsecond.
class BodyReading extends Deadline implements BodyTaker {
  readonly #exchange: Exchange;
  readonly #limit: number;
  readonly #deadlines: Deadlines;
  readonly #receiver: BodyReceiver;
  #collected: Collected | null = null;
  #isOver = false;

  constructor(exchange: Exchange, limit: number, deadlines: Deadlines, receiver: BodyReceiver) {
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
    this.#collected ??= new Collected(bodyLength === CHUNKED ? CHUNKED_BUFFER_BYTES : bodyLength);
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
