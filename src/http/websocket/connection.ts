// One WebSocket connection: the only code that calls a native socket.
//
//   WC1. Phases: "opening" while `open` runs, "admitted" after it, "open" once the handshake is
//        complete, "ending" from `close` on, finally "closed". Every method of the engine's socket
//        throws after its `close`, so the socket is dropped there, and each method returns the
//        result for a closed connection.
//   WC2. The owner of an admitted connection gets one `closed` call, also if the client disconnects
//        before the handshake is complete (`lost`).
//   WC3. The engine's `end` is called with an empty buffer, and not in the turn of its `open`
//        (port.ts), so that the code passed to `close` of a route was sent.
//
// Frames that a step sends during `open` are kept until then, within the backpressure limit.

import type { ProblemDetail } from "#core/bus/problem-detail.js";
import { FrameworkError } from "#core/errors.js";
import type {
  RoomSubscription,
  SendResult,
  WebSocketConnection,
  WebSocketSession,
} from "#core/facts/web-socket.js";
import { anyJson } from "#schema/tree/json-value.js";
import type { TraceLink } from "#telemetry/tracing/tracing.js";
import { problemBody } from "../answer/problem-answer.js";
import { noParticulars } from "../exchange/particulars.js";
import type { Deadlines } from "../native/deadlines.js";
import type { NativeWebSocket } from "../native/port.js";
import type { WebSocketLimitPlan } from "../plan/web-socket-limits.js";
import { Ending } from "./ending.js";
import { closeReason, frameOf, isCloseCode } from "./frame.js";
import type { IngressRooms } from "./rooms.js";
import type { Turns } from "./turns.js";

const NONE: readonly unknown[] = [];

interface Early {
  readonly frames: (string | Uint8Array)[];
  bytes: number;
  readonly topics: Map<string, MissedMessage | undefined>;
  close: { readonly code: number; readonly reason: string } | null;
}

type MissedMessage = NonNullable<RoomSubscription["missed"]>;

interface Handshake {
  readonly requestId: string;
  readonly isOpen: boolean;
}

/** The route of a connection. */
export interface ConnectionOwner {
  readonly limits: WebSocketLimitPlan;
  readonly rooms: IngressRooms;
  /** Deadlines for a peer to read the sent frames. */
  readonly endings: Deadlines;
  /** Called when the engine has opened the connection. */
  opened(connection: Connection): void;
  /** Never throws: the engine would exit the process. */
  receive(connection: Connection, message: ArrayBuffer, isBinary: boolean): void;
  /** `ended` is null if the engine never opened the connection. */
  closed(connection: Connection, code: number, reason: string, ended: (() => void) | null): void;
}

export class Connection implements WebSocketConnection {
  readonly session: WebSocketSession;
  /** The id of the handshake, for reports and problems. */
  readonly requestId: string;
  state: unknown = undefined;
  /** Values of the Bus of `open` that steps of messages read, by index. */
  values: readonly unknown[] = NONE;
  /** Pending runs and waiting messages; null if none exist. */
  turns: Turns | null = null;
  /** Number of dropped or aborted messages. */
  unfinished = 0;
  /** Null if the trace is not kept. */
  handshakeSpan: TraceLink | null = null;
  readonly #owner: ConnectionOwner;
  #phase: "opening" | "admitted" | "open" | "ending" | "closed" = "opening";
  /** The handshake until its response. */
  #handshake: Handshake | null;
  #socket: NativeWebSocket | null = null;
  #early: Early | null = null;
  #topics = 0;
  /** What ends the look-out for gaps in a room; null if no room is watched. */
  #watches: Map<string, () => void> | null = null;
  #ending: Ending | null = null;
  /** True after the turn of the engine's `open`. */
  #mayEnd = false;

  constructor(session: WebSocketSession, handshake: Handshake, owner: ConnectionOwner) {
    this.session = session;
    this.requestId = handshake.requestId || session.connection_id;
    this.#handshake = handshake;
    this.#owner = owner;
  }

  /** Makes a Connection a ConnectionRun. */
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
    return this.#phase === "open" || (this.#handshake?.isOpen === true && !this.#early?.close);
  }

  get bufferedAmount(): number {
    return this.#socket === null ? (this.#early?.bytes ?? 0) : this.#socket.getBufferedAmount();
  }

  send(message: unknown): SendResult {
    return this.sendFrame(frameOf(message, anyJson));
  }

  sendFrame(frame: string | Uint8Array): SendResult {
    if (this.#socket === null) return this.#sendEarly(frame);
    if (this.#phase === "ending") return "closed";
    const { compressedFrom } = this.#owner.limits;
    const taken = this.#socket.send(frame, typeof frame !== "string", frame.length >= compressedFrom);
    if (taken === 1) return "sent";
    // If the engine drops the frame, it closes the connection.
    return taken === 0 ? "buffered" : "closed";
  }

  sendProblem(problem: ProblemDetail): void {
    if (this.isOpen) this.sendFrame(problemBody(problem, this.session.path, this.requestId));
  }

  publish(topic: string, message: unknown): boolean {
    const frame = frameOf(message, anyJson);
    return this.#owner.rooms.publishFrame(topic, frame, this.#socket);
  }

  subscribe(topic: string, { missed }: RoomSubscription = {}): boolean {
    if (!this.isOpen) return false;
    const isKnown = this.isSubscribed(topic);
    if (!isKnown && this.#topics >= this.#owner.limits.maxTopics) return false;
    if (this.#socket === null) {
      const { topics } = this.#beEarly();
      topics.set(topic, missed ?? topics.get(topic));
    } else {
      if (!isKnown && !this.#socket.subscribe(topic)) return false;
      if (missed !== undefined) this.#watch(topic, missed);
    }
    if (!isKnown) this.#topics += 1;
    return true;
  }

  unsubscribe(topic: string): boolean {
    if (!this.isSubscribed(topic)) return false;
    this.#topics -= 1;
    if (this.#socket === null) return this.#early?.topics.delete(topic) === true;
    this.#watch(topic, undefined);
    return this.#socket.unsubscribe(topic);
  }

  isSubscribed(topic: string): boolean {
    if (this.#socket === null) return this.isOpen && this.#early?.topics.has(topic) === true;
    return this.#socket.isSubscribed(topic);
  }

  /** Replaces the look-out for gaps in a room, or ends it. */
  #watch(topic: string, missed: MissedMessage | undefined): void {
    this.#watches?.get(topic)?.();
    this.#watches?.delete(topic);
    if (missed === undefined) return;
    this.#watches ??= new Map();
    const end = this.#owner.rooms.watch(topic, (count) => {
      const message = missed(count);
      if (message !== undefined) this.send(message);
    });
    this.#watches.set(topic, end);
  }

  #endWatches(): void {
    for (const end of this.#watches?.values() ?? []) end();
    this.#watches = null;
  }

  close(code = 1000, reason = ""): void {
    if (!isCloseCode(code))
      throw new FrameworkError(
        "CLOSE_CODE_INVALID",
        `close(${code}): no endpoint may send that code; use 1000, the standard codes 1001 to 1003 and 1007 to 1014, or a code of the application from 4000 to 4999`,
      );
    if (this.#handshake?.isOpen === true) this.#beEarly().close ??= { code, reason: closeReason(reason) };
    else if (this.#phase === "open") this.#leave(code, closeReason(reason));
    else if (this.turns?.isFinishing === true) this.#dropMessages();
  }

  #leave(code: number, reason: string): void {
    this.#phase = "ending";
    this.#ending = new Ending(code, reason, this.#owner.endings, () => this.cut());
    this.#dropMessages();
    if (this.#endNow()) return;
    const socket = this.#socket;
    for (const topic of socket?.getTopics() ?? []) socket?.unsubscribe(topic);
  }

  /** Ends the socket (WC3). Returns false if that must wait. */
  #endNow(): boolean {
    if (this.#ending === null || !this.#mayEnd || this.bufferedAmount > 0) return false;
    this.#socket?.end(this.#ending.code, this.#ending.reason);
    return true;
  }

  /** Called when the peer has read bytes. */
  drained(): void {
    this.#ending?.renew();
    this.#endNow();
  }

  /** Running messages are aborted without being counted, because one of them may close the connection. */
  #dropMessages(): void {
    this.unfinished += this.turns?.length ?? 0;
    this.turns?.end();
  }

  abortMessages(): void {
    this.unfinished += this.turns?.pending ?? 0;
    this.turns?.end();
  }

  /** Accepts no more messages. Calls `then` when the received ones have ended, or at their deadline. */
  finishMessages(then: () => void): void {
    const { turns } = this;
    if (turns === null || turns.pending === 0) then();
    else this.unfinished += turns.finish(this.#owner.endings, () => this.abortMessages(), then);
  }

  admit(state: unknown, values: readonly unknown[]): void {
    if (this.#phase !== "opening") return;
    this.#phase = "admitted";
    this.state = state;
    if (values.length > 0) this.values = values;
  }

  /** Closes without a close frame, which the peer would not read. */
  cut(): void {
    this.#socket?.close();
  }

  /** Called when the handshake is complete. */
  opened(socket: NativeWebSocket): void {
    const early = this.#early;
    this.#early = null;
    this.#handshake = null;
    this.#phase = "open";
    this.#socket = socket;
    this.#owner.opened(this);
    setImmediate(() => {
      this.#mayEnd = true;
      this.#endNow();
    });
    if (early === null) return;
    for (const [topic, missed] of early.topics) {
      socket.subscribe(topic);
      this.#watch(topic, missed);
    }
    for (const frame of early.frames) this.sendFrame(frame);
    if (early.close !== null) this.close(early.close.code, early.close.reason);
    else if (early.bytes > this.#owner.limits.maxBackpressureBytes) this.cut();
  }

  /** The memory of `message` belongs to the engine. */
  receive(message: ArrayBuffer, isBinary: boolean): void {
    if (this.#phase === "open") this.#owner.receive(this, message, isBinary);
  }

  /** Called if the client disconnects before the handshake is complete (WC2). */
  lost(): void {
    if (this.#phase === "admitted") this.closed(1006, "", null);
  }

  /** `ended` is null for a connection that was never open. */
  closed(code: number, reason: string, ended: (() => void) | null): void {
    if (this.#phase === "closed") return;
    this.#ending?.end();
    this.#ending = null;
    this.#phase = "closed";
    this.#socket = null;
    this.#handshake = null;
    this.#early = null;
    this.#endWatches();
    this.#owner.closed(this, code, reason, ended);
  }

  #sendEarly(frame: string | Uint8Array): SendResult {
    if (!this.isOpen) return "closed";
    const early = this.#beEarly();
    if (early.bytes > this.#owner.limits.maxBackpressureBytes) return "closed";
    early.bytes += Buffer.byteLength(frame);
    // A copy, because the sender may reuse its bytes.
    early.frames.push(typeof frame === "string" ? frame : new Uint8Array(frame));
    return "buffered";
  }

  #beEarly(): Early {
    this.#early ??= { frames: [], bytes: 0, topics: new Map(), close: null };
    return this.#early;
  }
}
