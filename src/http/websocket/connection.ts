// One connection of WebSocket: the only code that touches a native socket.
//
//   WC1. Phases: "opening" while `open` runs, "admitted" once it has let the peer in, "open"
//        when the peer is answered, then "closed" for good. The engine throws at every call
//        after its `close`, so the socket is let go of there, and every call is answered as
//        one of a closed connection from then on; so it is where the handshake was answered
//        something else.
//   WC2. Whom `open` has let in the owner is told of once when it is over, also where the
//        client went before it was answered (`lost`).
//   WC3. What a step does in `open` is kept, within the limit of what may wait for a peer,
//        and done when the peer is answered.
//   WC4. A connection that is idle holds this object, its session, what its handshake has
//        sent as a secret, and nothing else.

import { FrameworkError } from "#core/errors.js";
import type { ProblemDetail } from "#core/problem-detail.js";
import type { SendResult, WebSocketConnection, WebSocketSession } from "#core/web-socket.js";
import { anyJson } from "#schema/json-value.js";
import type { TraceLink } from "#telemetry/tracing/tracing.js";
import type { NativeWebSocket } from "../native/port.js";
import { noParticulars } from "../particulars.js";
import { problemBody } from "../problem-answer.js";
import { closeReason, frameOf, isCloseCode } from "./frame.js";
import type { WebSocketLimitPlan } from "./limits.js";
import type { IngressRooms } from "./rooms.js";
import type { Turns } from "./turns.js";

const NONE: readonly unknown[] = [];

/** What has to be done when the peer is answered. */
interface Early {
  readonly frames: (string | Uint8Array)[];
  bytes: number;
  readonly topics: Set<string>;
  close: { readonly code: number; readonly reason: string } | null;
}

/** Whose connections they are. */
export interface ConnectionOwner {
  readonly limits: WebSocketLimitPlan;
  readonly rooms: IngressRooms;
  opened(connection: Connection): void;
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void;
  /** `wasOpen` says whether `opened` was called. */
  closed(connection: Connection, code: number, reason: string, wasOpen: boolean): void;
}

/** The request that asks for the connection. */
interface Handshake {
  readonly requestId: string;
  /** Whether it can be answered. */
  readonly isOpen: boolean;
}

export class Connection implements WebSocketConnection {
  readonly session: WebSocketSession;
  /** The id of the request that it began with, for reports and problems. */
  readonly requestId: string;
  state: unknown = undefined;
  /** What the steps of its messages read of the Bus of `open`, in the order of its route. */
  values: readonly unknown[] = NONE;
  /** Its runs that wait, and the messages behind them; null while there are none. */
  turns: Turns | null = null;
  /** The span of the handshake; null where its trace is not kept. */
  handshakeSpan: TraceLink | null = null;
  readonly #owner: ConnectionOwner;
  #phase: "opening" | "admitted" | "open" | "closed" = "opening";
  /** The handshake, until it is answered. */
  #handshake: Handshake | null;
  #socket: NativeWebSocket | null = null;
  #early: Early | null = null;
  #topics = 0;

  constructor(session: WebSocketSession, handshake: Handshake, owner: ConnectionOwner) {
    this.session = session;
    this.requestId = handshake.requestId || session.connection_id;
    this.#handshake = handshake;
    this.#owner = owner;
  }

  /** A run of it has the connection itself as its request, where it needs nothing of its own. */
  get connection(): this {
    return this;
  }

  get input(): undefined {
    return undefined;
  }

  get particulars(): typeof noParticulars {
    return noParticulars;
  }

  get isOpen(): boolean {
    return this.#socket !== null || this.#handshake?.isOpen === true;
  }

  get bufferedAmount(): number {
    return this.#socket === null ? (this.#early?.bytes ?? 0) : this.#socket.getBufferedAmount();
  }

  send(message: unknown): SendResult {
    return this.sendFrame(frameOf(message, anyJson));
  }

  sendFrame(frame: string | Uint8Array): SendResult {
    if (this.#socket === null) return this.#sendEarly(frame);
    const { compressedFrom } = this.#owner.limits;
    const taken = this.#socket.send(frame, typeof frame !== "string", frame.length >= compressedFrom);
    if (taken === 1) return "sent";
    // What the engine drops it ends the connection for.
    return taken === 0 ? "buffered" : "closed";
  }

  /** Answers a message with a problem document. */
  sendProblem(problem: ProblemDetail): void {
    if (this.isOpen) this.sendFrame(problemBody(problem, this.session.path, this.requestId));
  }

  publish(topic: string, message: unknown): boolean {
    const frame = frameOf(message, anyJson);
    return this.#owner.rooms.publishFrame(topic, frame, this.#socket);
  }

  subscribe(topic: string): boolean {
    if (!this.isOpen) return false;
    if (this.isSubscribed(topic)) return true;
    if (this.#topics >= this.#owner.limits.maxTopics) return false;
    if (this.#socket === null) this.#beEarly().topics.add(topic);
    else if (!this.#socket.subscribe(topic)) return false;
    this.#topics += 1;
    return true;
  }

  unsubscribe(topic: string): boolean {
    if (!this.isSubscribed(topic)) return false;
    this.#topics -= 1;
    if (this.#socket === null) return this.#early?.topics.delete(topic) === true;
    return this.#socket.unsubscribe(topic);
  }

  isSubscribed(topic: string): boolean {
    if (this.#socket === null) return this.isOpen && this.#early?.topics.has(topic) === true;
    return this.#socket.isSubscribed(topic);
  }

  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code))
      throw new FrameworkError(
        "CLOSE_CODE_INVALID",
        `close(${code}): nobody may send that code; use 1000, one of 1001 to 1003 and 1007 to 1014 for what it means, or one of your own from 4000 to 4999`,
      );
    if (this.#handshake?.isOpen === true) this.#beEarly().close ??= { code, reason: closeReason(reason) };
    else this.#socket?.end(code, closeReason(reason));
  }

  /** `open` has let the peer in. */
  admit(state: unknown, values: readonly unknown[]): void {
    if (this.#phase !== "opening") return;
    this.#phase = "admitted";
    this.state = state;
    if (values.length > 0) this.values = values;
  }

  /** Ends it without a word: nothing would pass. */
  cut(): void {
    this.#socket?.close();
  }

  /** The peer has been answered. */
  opened(socket: NativeWebSocket): void {
    const early = this.#early;
    this.#early = null;
    this.#handshake = null;
    this.#phase = "open";
    this.#socket = socket;
    this.#owner.opened(this);
    if (early === null) return;
    for (const topic of early.topics) socket.subscribe(topic);
    for (const frame of early.frames) this.sendFrame(frame);
    if (early.close !== null) this.close(early.close.code, early.close.reason);
    else if (early.bytes > this.#owner.limits.maxBackpressureBytes) this.cut();
  }

  /** A message of the peer. Its memory is the engine's. */
  receive(message: ArrayBuffer, isBinary: boolean): void {
    if (this.#phase === "open") this.#owner.receive(this, message, isBinary);
  }

  /** The engine has let go of it. */
  closed(code: number, reason: string): void {
    this.#end(code, reason, true);
  }

  /** The client went before it was answered. */
  lost(): void {
    if (this.#phase === "admitted") this.#end(1006, "", false);
  }

  #end(code: number, reason: string, wasOpen: boolean): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#socket = null;
    this.#handshake = null;
    this.#early = null;
    this.#owner.closed(this, code, reason, wasOpen);
  }

  #sendEarly(frame: string | Uint8Array): SendResult {
    if (!this.isOpen) return "closed";
    const early = this.#beEarly();
    if (early.bytes > this.#owner.limits.maxBackpressureBytes) return "closed";
    early.bytes += Buffer.byteLength(frame);
    // Whoever sends bytes may write over them when this returns.
    early.frames.push(typeof frame === "string" ? frame : new Uint8Array(frame));
    return "buffered";
  }

  #beEarly(): Early {
    this.#early ??= { frames: [], bytes: 0, topics: new Set(), close: null };
    return this.#early;
  }
}
