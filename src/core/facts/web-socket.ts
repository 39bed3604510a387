// A WebSocket connection as steps see it. The ingress makes one for each connection and puts it
// on the Bus of all its runs: `open`, each message, `close`.

import { type BusKey, namedKey } from "../bus/bus-key.js";
import type { IamIdentity } from "../iam/iam-identity.js";

export interface WebSocketSession {
  /** UUIDv7 of this connection. */
  readonly connection_id: string;
  /** As received: percent-encoded, without the query. */
  readonly path: string;
  /** The query after the "?", percent-encoded; undefined without a "?". */
  readonly query: string | undefined;
  /** The negotiated subprotocol; undefined if none. */
  readonly protocol: string | undefined;
  /** The identity that `withIam`, a guard or a layer has verified; undefined if none. */
  readonly identity: IamIdentity | undefined;
}

export interface WebSocketClose {
  /** Code of the close frame, sent or received; 1005 for a frame without a code, 1006 without a frame. */
  readonly code: number;
  readonly reason: string;
  /** Messages dropped, or aborted because the connection was lost or timed out; absent if none. */
  readonly unfinished?: number;
}

/**
 * Result of a send. "sent": written to the peer's socket. "buffered": the peer reads more
 * slowly than messages are sent. "closed": the connection has ended, or is ended now because
 * its buffer is over its limit.
 */
export type SendResult = "sent" | "buffered" | "closed";

export interface RoomSubscription {
  /**
   * Makes the message that is sent to this connection when messages of the topic from other processes did
   * not arrive: how many, undefined where that is unknown. Without a message nothing is sent. It is called
   * where the rooms of processes are joined by Redis.
   */
  readonly missed?: (count: number | undefined) => unknown;
}

/** A connection, from `open` on. After its end, none of its methods throws. */
export interface WebSocketConnection<out State = unknown> {
  readonly session: WebSocketSession;
  /** The result of `open`; undefined until it has returned. */
  readonly state: State;
  /** True if messages can be sent. Messages sent in `open` wait until the handshake is complete. */
  readonly isOpen: boolean;
  /** Bytes buffered until the peer reads them. */
  readonly bufferedAmount: number;
  /** Text and bytes as they are; data as JSON. Throws what JSON.stringify throws. */
  send(message: unknown): SendResult;
  /** Sends to all other subscribers of the topic; in `close` too. Returns whether this process has one. */
  publish(topic: string, message: unknown): boolean;
  /**
   * Receives messages of the topic from now on. False at the limit of topics, and after the end. Of a topic
   * that it receives already, another `missed` replaces the one before.
   */
  subscribe(topic: string, options?: RoomSubscription): boolean;
  unsubscribe(topic: string): boolean;
  isSubscribed(topic: string): boolean;
  /**
   * Ends it after the messages already sent, with a code (1000 to 1003, 1007 to 1014, 3000 to 4999;
   * default 1000) and a reason, truncated to 123 bytes. Throws CLOSE_CODE_INVALID.
   */
  close(code?: number, reason?: string): void;
}

/** The connection of this run. */
export const WebSocketConnection = namedKey<WebSocketConnection, "WebSocketConnection">(
  "WebSocketConnection",
);

/** The same key for steps that know the result type of `open`: `bus.get(connectionOf<Player>()).state`. */
export const connectionOf = <State>(): BusKey<WebSocketConnection<State>, "WebSocketConnection"> =>
  namedKey("WebSocketConnection");

/** The rooms of an ingress: all subscribers of a topic, on any of its WebSocket routes. */
export interface Rooms {
  /** Text and bytes unchanged, data as JSON. Returns whether this process has a subscriber. */
  publish(topic: string, message: unknown): boolean;
}

/** For steps without a connection, or that publish to all subscribers. */
export const Rooms = namedKey<Rooms, "Rooms">("Rooms");
