import type {
  NativeApp,
  NativeSocketData,
  NativeText,
  NativeWebSocket,
  NativeWebSocketBehavior,
} from "../native/port.js";
import { asBytes } from "./memory-request.js";

/** What the engine calls of a connection. */
export type MemoryHandlers = Pick<NativeWebSocketBehavior, "open" | "message" | "close">;

/** The other end of a connection in memory. */
export interface MemoryPeer {
  received(message: string | Uint8Array): void;
  /** The connection is over; 1006 where no close frame came. */
  closed(code: number, reason: string): void;
}

/** The topics of an app in memory. */
export class MemoryTopics implements Pick<NativeApp, "publish"> {
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

/** A connection in memory, as strict as the engine: every call after its end throws. */
export class MemoryWebSocket implements NativeWebSocket {
  readonly connection: unknown;
  readonly #handlers: MemoryHandlers;
  readonly #topics: MemoryTopics;
  readonly #peer: MemoryPeer;
  readonly #subscribed = new Set<string>();
  #isOver = false;

  constructor(data: NativeSocketData, handlers: MemoryHandlers, topics: MemoryTopics, peer: MemoryPeer) {
    this.connection = data.connection;
    this.#handlers = handlers;
    this.#topics = topics;
    this.#peer = peer;
    topics.add(this);
    handlers.open(this);
  }

  get isOver(): boolean {
    return this.#isOver;
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

  /** The peer has sent a message. */
  deliver(message: Uint8Array, isBinary: boolean): void {
    if (this.#isOver) return;
    const copy = new Uint8Array(message).buffer;
    this.#handlers.message(this, copy, isBinary);
    // Detached, as by the engine: who kept it without a copy has nothing.
    structuredClone(copy, { transfer: [copy] });
  }

  /** The peer has ended the connection: `code` as the engine tells it, `seen` as the peer sees it end. */
  left(code: number, reason: string, seen = code): void {
    if (!this.#isOver) this.#end(code, reason, seen);
  }

  #end(code: number, reason: string, seen: number): void {
    this.#isOver = true;
    this.#topics.remove(this);
    this.#handlers.close(this, code, new Uint8Array(Buffer.from(reason)).buffer);
    this.#peer.closed(seen, reason);
  }

  #requireOpen(): void {
    if (this.#isOver) throw new Error("A WebSocket was used after its end");
  }
}

/** By what a handshake in memory is upgraded. */
export class MemoryUpgrade {
  readonly #open: (data: NativeSocketData, protocol: string) => void;

  constructor(open: (data: NativeSocketData, protocol: string) => void) {
    this.#open = open;
  }

  accept(data: NativeSocketData, protocol: string): void {
    this.#open(data, protocol);
  }
}
