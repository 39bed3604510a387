import { asBytes } from "../exchange/memory/memory-request.js";
import type { MemoryUpgrade } from "../exchange/memory/memory-response.js";
import type {
  NativeApp,
  NativeSocketData,
  NativeText,
  NativeUpgrade,
  NativeWebSocket,
  NativeWebSocketBehavior,
} from "../native/port.js";
import type { ServedIngress } from "../serving/served-ingress.js";
import type { TestRequest } from "./test-request.js";
import type { MemoryPeer } from "./test-socket.js";
import { type TestHandshake, TestSocket } from "./test-socket.js";

type MemoryHandlers = Pick<NativeWebSocketBehavior, "open" | "message" | "close">;

class MemoryTopics implements Pick<NativeApp, "publish"> {
  readonly #sockets = new Set<MemoryWebSocket>();

  add(socket: MemoryWebSocket): void {
    this.#sockets.add(socket);
  }

  remove(socket: MemoryWebSocket): void {
    this.#sockets.delete(socket);
  }

  publish(topic: string, message: NativeText, isBinary: boolean): boolean {
    return this.publishBut(null, topic, message, isBinary);
  }

  publishBut(sender: MemoryWebSocket | null, topic: string, message: NativeText, isBinary: boolean): boolean {
    const heard = [...this.#sockets].filter((socket) => socket !== sender && socket.isSubscribed(topic));
    for (const socket of heard) socket.send(message, isBinary);
    return heard.length > 0;
  }
}

/** As strict as the engine: every method throws after the end. */
class MemoryWebSocket implements NativeWebSocket {
  readonly connection: unknown;
  readonly #handlers: MemoryHandlers;
  readonly #topics: MemoryTopics;
  readonly #peer: MemoryPeer;
  readonly #subscribed = new Set<string>();
  isOver = false;

  constructor(data: NativeSocketData, handlers: MemoryHandlers, topics: MemoryTopics, peer: MemoryPeer) {
    this.connection = data.connection;
    this.#handlers = handlers;
    this.#topics = topics;
    this.#peer = peer;
    topics.add(this);
    handlers.open(this);
  }

  send(message: NativeText, isBinary: boolean): number {
    this.#requireOpen();
    const bytes = asBytes(message);
    this.#peer.received(isBinary ? new Uint8Array(bytes) : Buffer.from(bytes).toString());
    return 1;
  }

  publish(topic: string, message: NativeText, isBinary: boolean): boolean {
    this.#requireOpen();
    return this.#topics.publishBut(this, topic, message, isBinary);
  }

  subscribe(topic: string): boolean {
    this.#requireOpen();
    this.#subscribed.add(topic);
    return true;
  }

  unsubscribe(topic: string): boolean {
    this.#requireOpen();
    return this.#subscribed.delete(topic);
  }

  isSubscribed(topic: string): boolean {
    this.#requireOpen();
    return this.#subscribed.has(topic);
  }

  getTopics(): string[] {
    this.#requireOpen();
    return [...this.#subscribed];
  }

  getBufferedAmount(): number {
    this.#requireOpen();
    return 0;
  }

  end(code: number, reason: string): void {
    this.#requireOpen();
    this.#end(code, reason, code);
  }

  close(): void {
    this.#requireOpen();
    this.#end(1006, "", 1006);
  }

  /** Delivers a message of the peer. */
  deliver(message: Uint8Array, isBinary: boolean): void {
    if (this.isOver) return;
    const copy = new Uint8Array(message).buffer;
    this.#handlers.message(this, copy, isBinary);
    // Detaches the message, as the engine does.
    structuredClone(copy, { transfer: [copy] });
  }

  /** Closes the connection from the peer's side. `seen` is the code that the peer gets. */
  left(code: number, reason: string, seen = code): void {
    if (!this.isOver) this.#end(code, reason, seen);
  }

  #end(code: number, reason: string, seen: number): void {
    this.isOver = true;
    this.#topics.remove(this);
    this.#handlers.close(this, code, new Uint8Array(Buffer.from(reason)).buffer);
    this.#peer.closed(seen, reason);
  }

  #requireOpen(): void {
    if (this.isOver) throw new Error("A WebSocket was used after its end");
  }
}

/** 16 bytes in base64. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

interface SocketLedger {
  opened(): void;
  ended(): void;
}

interface Opening {
  readonly request: TestRequest;
  /** Null without a WebSocket route at the path. */
  readonly upgrade: NativeUpgrade | null;
  /** Set when the server has accepted the handshake. */
  socket: TestSocket | undefined;
}

export class MemorySockets {
  readonly #served: ServedIngress;
  readonly #ledger: SocketLedger;
  readonly #topics = new MemoryTopics();
  readonly #handlers: MemoryHandlers;

  constructor(served: ServedIngress, ledger: SocketLedger) {
    this.#served = served;
    this.#ledger = ledger;
    this.#handlers = served.webSockets.handlers(this.#topics, () => ledger.ended());
  }

  open(target: string, handshake: TestHandshake): Opening {
    const [path = ""] = target.split("?", 1);
    const { webSockets, dispatcher } = this.#served;
    const limits = webSockets.behaviours.find((_, i) => dispatcher.upgradesBy(i, path));
    const accept = (data: NativeSocketData, protocol: string): void => {
      const client = new TestSocket(protocol, limits?.maxMessageBytes ?? 0);
      opening.socket = client;
      this.#ledger.opened();
      client.opened(new MemoryWebSocket(data, this.#handlers, this.#topics, client.peer));
    };
    const upgrade: MemoryUpgrade | null = limits === undefined ? null : { accept };
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
