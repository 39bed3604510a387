import type { Socket } from "node:net";
import { dial } from "./wire.js";

/**
 * A client whose chunked upload never ends and never pauses: it is answered when the server stops
 * discarding, after `discardTimeoutMs`. What waits in vain for an event is answered behind it.
 */
export class TricklingUpload {
  /** True once the server has answered or closed the connection. */
  isAnswered = false;
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;

  constructor(address: string, target: string) {
    const over = (): void => {
      this.isAnswered = true;
    };
    this.#socket = dial(address).on("data", over).on("end", over).on("error", over);
    this.#socket.write(`POST ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`);
    this.#timer = setInterval(() => this.#socket.write("1\r\nx\r\n"), 100);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}
