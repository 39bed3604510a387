// Reads a request's body into one piece of memory.
//
//   D1. A body that came whole is given as the engine's own memory, without a copy,
//       and only until `received` returns.
//   D2. What does not fit the limit is refused by its Content-Length before it is
//       read, and else as soon as it is counted.

import { Refusal } from "../refusal.js";
import type { BodyDeadlines } from "./body-deadlines.js";
import type { Exchange } from "./exchange.js";
import { CHUNKED } from "./framing.js";

/** A first guess for bodies that do not say their length; doubled as they grow. */
const CHUNKED_BUFFER_BYTES = 16_384;

/** Who the body is for. */
export interface BodyReceiver {
  received(exchange: Exchange, body: Buffer): void;
  refused(exchange: Exchange, refusal: Refusal): void;
}

export const tooLarge = (limit: number): Refusal =>
  new Refusal("BODY_TOO_LARGE", { detail: `At most ${limit} bytes`, ends: true });

const TIMED_OUT = new Refusal("BODY_TIMEOUT", { ends: true });

/** Gives the receiver the body or a refusal; neither where the client goes away. */
export function readBody(
  exchange: Exchange,
  limit: number,
  deadlines: BodyDeadlines,
  receiver: BodyReceiver,
): void {
  if (exchange.bodyLength > limit) {
    receiver.refused(exchange, tooLarge(limit));
    return;
  }
  let collected: Collected | null = null;
  let over = false;
  const finish = (): void => {
    over = true;
    deadlines.remove(deadline);
  };
  const refuse = (refusal: Refusal): void => {
    finish();
    receiver.refused(exchange, refusal);
  };
  const deadline = deadlines.add(() => refuse(TIMED_OUT));
  exchange.onAbort = finish;
  exchange.receive((piece, last) => {
    if (over) return;
    if ((collected?.length ?? 0) + piece.byteLength > limit) {
      refuse(tooLarge(limit));
    } else if (last && collected === null) {
      finish();
      receiver.received(exchange, Buffer.from(piece));
    } else {
      collected ??= new Collected(
        exchange.bodyLength === CHUNKED ? CHUNKED_BUFFER_BYTES : exchange.bodyLength,
      );
      collected.add(new Uint8Array(piece));
      if (!last) return;
      finish();
      receiver.received(exchange, collected.bytes());
    }
  });
}

class Collected {
  length = 0;
  #buffer: Buffer;

  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(expected);
  }

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.length));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.length);
    this.length = needed;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}
