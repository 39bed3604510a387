import type { Dispatcher } from "../dispatcher.js";
import type { NativeSocketData, NativeUpgrade } from "../native/port.js";
import { type MemoryHandlers, MemoryTopics, MemoryUpgrade, MemoryWebSocket } from "./memory-web-socket.js";
import type { TestRequest } from "./test-request.js";
import { type TestHandshake, TestSocket } from "./test-socket.js";

/** What a client would make by chance: 16 bytes in base64. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

/** Told of each connection as it begins and ends. */
interface SocketLedger {
  opened(): void;
  ended(): void;
}

/** A handshake that is to be answered. */
interface Opening {
  readonly request: TestRequest;
  /** Null where no WebSocket route has the path: the engine would ask nobody. */
  readonly upgrade: NativeUpgrade | null;
  /** Once the server has accepted. */
  socket: TestSocket | undefined;
}

/** The WebSocket connections of an ingress in memory. */
export class MemorySockets {
  readonly #dispatcher: Dispatcher;
  readonly #ledger: SocketLedger;
  readonly #topics = new MemoryTopics();
  readonly #handlers: MemoryHandlers;

  constructor(dispatcher: Dispatcher, ledger: SocketLedger) {
    this.#dispatcher = dispatcher;
    this.#ledger = ledger;
    this.#handlers = dispatcher.webSockets.handlers(this.#topics, () => ledger.ended());
  }

  open(target: string, handshake: TestHandshake): Opening {
    const [path = ""] = target.split("?", 1);
    const { webSockets } = this.#dispatcher;
    const limits = webSockets.behaviours.find((_, i) => this.#dispatcher.upgradesBy(i, path));
    const accept = (data: NativeSocketData, protocol: string): void => {
      const client = new TestSocket(protocol, limits?.maxMessageBytes ?? 0);
      opening.socket = client;
      this.#ledger.opened();
      client.opened(new MemoryWebSocket(data, this.#handlers, this.#topics, client.peer));
    };
    const upgrade = limits === undefined ? null : new MemoryUpgrade(accept);
    const opening: Opening = { request: requestOf(handshake), upgrade, socket: undefined };
    return opening;
  }
}

const requestOf = ({ protocols = [], headers, ...request }: TestHandshake): TestRequest => ({
  ...request,
  headers: {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": KEY,
    "sec-websocket-version": "13",
    ...(protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") }),
    ...headers,
  },
});
