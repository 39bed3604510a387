// A response that is sent before the body is over, on a connection that is kept. Ended for the engine
// before the body is, it would leave the connection without an idle time-out. So it is ended with the
// last piece of the body, in its callback, because a further request may follow in the same segment.

import type { NativeResponse } from "../native/port.js";

const NOTHING = new Uint8Array(0);

export class LateEnd {
  readonly #response: NativeResponse;
  readonly #timer: NodeJS.Timeout;
  /** Negative until the response is sent. */
  #length = -1;
  #isOver = false;

  /** Closes the connection after `timeoutMs`. */
  constructor(response: NativeResponse, timeoutMs: number) {
    this.#response = response;
    this.#timer = setTimeout(() => response.close(), timeoutMs);
  }

  get isReading(): boolean {
    return !this.#isOver;
  }

  take(_: ArrayBuffer, last: boolean): void {
    if (!last) return;
    this.#isOver = true;
    this.#end();
  }

  sent(length: number): void {
    this.#length = length;
    this.#end();
  }

  left(): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    if (!this.#isOver || this.#length < 0) return;
    this.left();
    this.#response.tryEnd(NOTHING, this.#length);
  }
}
