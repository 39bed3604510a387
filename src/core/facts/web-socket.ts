// A WebSocket connection as steps see it. An ingress makes one for each, and puts it on the
// Bus of every run that the connection has: `open`, each message, `close`.

import { type BusKey, namedKey } from "../bus/bus-key.js";
import type { IamIdentity } from "../iam/iam-identity.js";

export interface WebSocketSession {
  /** A UUIDv7, of this connection alone. */
  readonly connection_id: string;
  /** As it came, still percent-encoded, without the query. */
  readonly path: string;
  /** What follows the "?", still percent-encoded; undefined where there is no "?". */
  readonly query: string | undefined;
  /** The subprotocol that was chosen; undefined for none. */
  readonly protocol: string | undefined;
  /** Whom `withIam`, a guard or a layer has verified; undefined for nobody. */
  readonly identity: IamIdentity | undefined;
}

export interface WebSocketClose {
  /** The code of the peer's close frame or of ours; 1005 for a frame without one, 1006 where there was no frame. */
  readonly code: number;
  readonly reason: string;
  /** Messages that were dropped, or aborted because the connection was lost or time was up; absent for none. */
  readonly unfinished?: number;
}

/**
 * What became of a message: "sent" to the peer's socket; "buffered", because the peer reads
 * slower than it is sent to; "closed", because the connection is over, or is ended now,
 * because more waits for the peer than may.
 */
export type SendResult = "sent" | "buffered" | "closed";

/** A connection, from `open` on. No call of it throws after its end. */
export interface WebSocketConnection<out State = unknown> {
  readonly session: WebSocketSession;
  /** What `open` answered; undefined until it has. */
  readonly state: State;
  /** Whether messages can be sent. What is sent in `open` waits until the peer is answered. */
  readonly isOpen: boolean;
  /** Bytes that wait for the peer to read. */
  readonly bufferedAmount: number;
  /** Text and bytes as they are; data as JSON. Throws what JSON.stringify throws. */
  send(message: unknown): SendResult;
  /** To all others that have subscribed to the topic; in `close` too. Answers whether there is one in this process. */
  publish(topic: string, message: unknown): boolean;
  /** Gets what is published to the topic from now on. False where it has as many topics as it may, and after the end. */
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  isSubscribed(topic: string): boolean;
  /**
   * Ends it, after what was sent before, with a code (1000 to 1003, 1007 to 1014, 3000 to 4999; default 1000) and a reason,
   * cut to 123 bytes. Throws CLOSE_CODE_INVALID.
   */
  close(code?: number, reason?: string): void;
}

/** The connection whose run it is. */
export const WebSocketConnection = namedKey<WebSocketConnection, "WebSocketConnection">(
  "WebSocketConnection",
);

/** The same key for steps that know what `open` answers: `bus.get(connectionOf<Player>()).state`. */
export const connectionOf = <State>(): BusKey<WebSocketConnection<State>, "WebSocketConnection"> =>
  namedKey("WebSocketConnection");

/** The rooms of an ingress: whoever has subscribed to a topic, on whichever of its WebSocket routes. */
export interface Rooms {
  /** Text and bytes as they are, data as JSON. Answers whether somebody in this process has subscribed. */
  publish(topic: string, message: unknown): boolean;
}

/** For steps that have no connection, or publish to everybody. */
export const Rooms = namedKey<Rooms, "Rooms">("Rooms");
