// Reads and discards the rest of a body before a response that closes the connection. Closed while
// the client still sends, the connection is reset, and the client loses the response (RFC 9112,
// section 9.6). Above a limit of bytes or time the response is sent at once.

import type { BodyTaker } from "./outlasting.js";

export interface DiscardLimits {
  readonly discardLimit: number;
  readonly discardTimeoutMs: number;
}

export class Discarding implements BodyTaker {
  readonly #over: () => void;
  readonly #timer: NodeJS.Timeout;
  #room: number;
  #isOver = false;

  /** Calls `over` once, from a macrotask, or never if the client disconnects. */
  constructor({ discardLimit, discardTimeoutMs }: DiscardLimits, over: () => void) {
    this.#over = over;
    this.#room = discardLimit;
    this.#timer = setTimeout(() => this.#end(), discardTimeoutMs);
  }

  take(piece: ArrayBuffer, last: boolean): void {
    this.#room -= piece.byteLength;
    if (last || this.#room < 0) this.#end();
  }

  left(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #end(): void {
    if (this.#isOver) return;
    this.left();
    setImmediate(this.#over);
  }
}
