// Closes a connection after its last response where the engine cannot (X4). The engine does not tell
// whether bytes are left in its buffer, which `close` drops: it reports only that the client has
// read. So the connection is closed once it was quiet for a while. The response stays unended for the
// engine, which closes the connection itself if the client closes it or sends another request.

import type { NativeResponse } from "../native/port.js";

const QUIET_MS = 1000;

const nothing = (): void => {};

export class Lingering {
  readonly #response: NativeResponse;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(response: NativeResponse) {
    this.#response = response;
    this.#wait();
    // Not at once: a call inside a handler of `onWritable` would free it.
    setImmediate(() => this.#listen());
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#close(), QUIET_MS);
  }

  #listen(): void {
    if (this.#isOver) return;
    this.#response.onWritable(() => this.#flush());
    this.#flush();
  }

  #flush(): boolean {
    this.#wait();
    this.#response.cork(nothing);
    return true;
  }

  #close(): void {
    this.left();
    this.#response.close();
  }

  /** The connection is closed. */
  left(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
