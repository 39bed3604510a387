import type { WebSocketClose } from "#core/web-socket.js";
import type { MemoryPeer, MemoryWebSocket } from "./memory-web-socket.js";
import type { TestRequest } from "./test-request.js";
import type { TestResponse } from "./test-response.js";

/** What a test says of a handshake. */
export interface TestHandshake extends Pick<TestRequest, "headers" | "cookies" | "query" | "peer"> {
  /** Subprotocols to offer, the best one first. */
  readonly protocols?: readonly string[];
}

/** The handshake was answered with something else than a connection. */
export class HandshakeRefused extends Error {
  override readonly name = "HandshakeRefused";
  readonly response: TestResponse;

  constructor(target: string, response: TestResponse) {
    super(`${target}: the handshake was answered ${response.status}\n${response.text}`);
    this.response = response;
  }
}

/** The client's end of a connection of WebSocket. */
export class TestSocket {
  /** Fulfilled when the connection is over, with the code and reason that a client sees. */
  readonly closed: Promise<WebSocketClose>;
  /** The subprotocol that the server chose; "" for none. */
  readonly protocol: string;
  readonly #messages: (string | Uint8Array)[] = [];
  readonly #maxMessageBytes: number;
  /** @internal What the server's end tells of. */
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
  #socket: MemoryWebSocket | undefined;
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

  /** Sends text and bytes as they are, data as JSON. Each arrives in a turn of its own, in order. */
  send(message: unknown): void {
    const isBinary = message instanceof Uint8Array;
    const text = typeof message === "string" || isBinary ? message : JSON.stringify(message);
    const bytes = typeof text === "string" ? Buffer.from(text) : new Uint8Array(text);
    setImmediate(() => {
      if (bytes.length > this.#maxMessageBytes) this.#socket?.left(1006, "Received too big message");
      else this.#socket?.deliver(bytes, isBinary);
    });
  }

  /** The next message that the server sends. Rejects where the connection ends first. */
  async next(): Promise<string | Uint8Array> {
    while (this.#messages.length === 0) {
      if (this.#end !== undefined)
        throw new Error(`The connection was closed: ${this.#end.code} ${this.#end.reason}`);
      // What it waits for may be a time of the server's, which keeps no process alive.
      const alive = setInterval(() => {}, 60_000);
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
      clearInterval(alive);
    }
    return this.#messages.shift() as string | Uint8Array;
  }

  /** The same, read as JSON. */
  async nextJson(): Promise<unknown> {
    return JSON.parse(String(await this.next()));
  }

  /** Ends the connection as a client does, once what it has sent has arrived. */
  close(code = 1000, reason = ""): Promise<WebSocketClose> {
    setImmediate(() => this.#socket?.left(code, reason));
    return this.closed;
  }

  /** Goes away without a word. */
  vanish(): void {
    this.#socket?.left(1006, "");
  }

  /** @internal */
  opened(socket: MemoryWebSocket): void {
    this.#socket = socket;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
