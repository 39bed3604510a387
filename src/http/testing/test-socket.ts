import type { WebSocketClose } from "#core/facts/web-socket.js";
import type { TestRequest } from "./test-request.js";
import type { TestResponse } from "./test-response.js";

/** The client's end of the connection. */
export interface MemoryPeer {
  received(message: string | Uint8Array): void;
  /** Called at the end. `code` is 1006 without a close frame. */
  closed(code: number, reason: string): void;
}

/** The server's end of the connection. */
export interface ServedSocket {
  readonly isOver: boolean;
  deliver(message: Uint8Array, isBinary: boolean): void;
  left(code: number, reason: string, seen?: number): void;
}

export interface TestHandshake extends Pick<TestRequest, "headers" | "cookies" | "query" | "peer"> {
  /** Subprotocols to offer, best first. */
  readonly protocols?: readonly string[];
}

/** Thrown if the response to a handshake is not an upgrade. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
  readonly response: TestResponse;

  constructor(target: string, response: TestResponse) {
    super(`${target}: the handshake was answered ${response.status}\n${response.text}`);
    this.response = response;
  }
}

/** The client's end of a WebSocket connection. */
export class TestSocket {
  /** Resolves at the end, with the code and reason that the client gets. */
  readonly closed: Promise<WebSocketClose>;
  /** The chosen subprotocol; "" for none. */
  readonly protocol: string;
  readonly #messages: (string | Uint8Array)[] = [];
  readonly #maxMessageBytes: number;
  /** @internal */
  readonly peer: MemoryPeer = {
    received: (message) => {
      this.#messages.push(message);
      this.#wake();
    },
    closed: (code, reason) => {
      this.#end = { code, reason };
      this.#tellClosed(this.#end);
      this.#wake();
    },
  };
  #tellClosed: (close: WebSocketClose) => void = () => {};
  #socket: ServedSocket | undefined;
  #end: WebSocketClose | undefined;
  #waiting: (() => void) | undefined;

  /** @internal */
  constructor(protocol: string, maxMessageBytes: number) {
    this.protocol = protocol;
    this.#maxMessageBytes = maxMessageBytes;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** Sends text and bytes verbatim, data as JSON, in order and in separate turns. */
  send(message: unknown): void {
    const isBinary = message instanceof Uint8Array;
    const text = typeof message === "string" || isBinary ? message : JSON.stringify(message);
    const bytes = typeof text === "string" ? Buffer.from(text) : new Uint8Array(text);
    setImmediate(() => {
      if (bytes.length > this.#maxMessageBytes) this.#socket?.left(1006, "Received too big message");
      else this.#socket?.deliver(bytes, isBinary);
    });
  }

  /** The next message of the server. Rejects if the connection is closed first. */
  async next(): Promise<string | Uint8Array> {
    while (this.#messages.length === 0) {
      if (this.#end !== undefined)
        throw new Error(`The connection was closed: ${this.#end.code} ${this.#end.reason}`);
      // Keeps the process alive, because the server's timers do not.
      const alive = setInterval(() => {}, 60_000);
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
      clearInterval(alive);
    }
    return this.#messages.shift() as string | Uint8Array;
  }

  /** The next message as JSON. */
  async nextJson(): Promise<unknown> {
    return JSON.parse(String(await this.next()));
  }

  /** Closes the connection after the sent messages have arrived. */
  close(code = 1000, reason = ""): Promise<WebSocketClose> {
    setImmediate(() => this.#socket?.left(code, reason));
    return this.closed;
  }

  /** Disconnects without a close frame. */
  vanish(): void {
    this.#socket?.left(1006, "");
  }

  /** @internal */
  opened(socket: ServedSocket): void {
    this.#socket = socket;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
