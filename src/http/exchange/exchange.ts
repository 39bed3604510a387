// One request and its response: the only code that calls a native response.
//
//   X1. Phases: "open" in the handler and in the callback of the last body piece, where the engine
//       has corked the response; "waiting" otherwise; "sending" while a response is streamed or
//       waits for its macrotask; finally "done" or "aborted", after which the native response is
//       never called: a write after an abort throws.
//   X2. A request without a response at the end of the handler has an abort handler: without one
//       the engine exits the process.
//   X3. A response that closes the connection is written from a macrotask: written in the handler it
//       would not stop a pipelined request in the same segment. Every response to a chunked body,
//       whose framing the engine parses loosely, and to a body above its limit closes the connection.
//       The rest of the body is read first (see Discarding).
//   X4. The engine cannot close the connection after a response in pieces or one without a body, except
//       for a client that sent a lone `close`. A response with a known length is left unended, and the
//       connection closed (see Lingering). After chunks reading is paused, and the engine cuts the idle
//       connection after 8 to 12 s.
//   X5. The engine tells the end of a body once, and drops a body without a handler. So an exchange that
//       outlives its handler takes its body from the start, wanted or not. The engine sets no idle
//       time-out at the end of a body that follows its response, so no response is ended before (see LateEnd).

import type { Report } from "#core/bus/reporter.js";
import { assertHeaderValue } from "#core/wire/header-syntax.js";
import type { Link } from "../client/client.js";
import { CHUNKED } from "../native/framing.js";
import type { Head } from "../native/gate.js";
import type { Closing } from "../native/head-fields.js";
import {
  type NativeResponse,
  type NativeSocketData,
  type NativeUpgrade,
  nativeText,
} from "../native/port.js";
import {
  type AddedHeader,
  type AnswerHead,
  type AnswerHeads,
  isAddedTo,
  linesBeside,
  plainHeads,
  withLength,
  withoutCookie,
} from "./answer-heads.js";
import { type AnswerStream, NativeAnswerStream } from "./answer-stream.js";
import { Discarding, limitsOf } from "./discarding.js";
import { type ExchangeLedger, uncounted } from "./in-flight.js";
import { LateEnd } from "./late-end.js";
import { Lingering } from "./lingering.js";
import { type BodyTaker, noTaker, notOutlasting, Outlasting } from "./outlasting.js";
import { noParticulars, Particulars, type ResponseObserver } from "./particulars.js";
import { newRequestId, newRequestIdBytes } from "./request-id.js";
import { type Ending, type WrittenExchange, writeWhole } from "./whole-answer.js";

export type Phase = "open" | "waiting" | "sending" | "done" | "aborted";

const X_REQUEST_ID = nativeText("x-request-id");

const NONE: readonly string[] = [];
const NO_BYTES = new ArrayBuffer(0);

export class Exchange implements Head, Link, WrittenExchange {
  method = "";
  path = "";
  query: string | undefined = undefined;
  bodyLength = 0;
  /** Bytes: a longer body closes the connection. Not Infinity, which V8 would box. */
  bodyLimit = 2_147_483_647;
  host = "";
  origin = "";
  isTraced = false;
  closing: Closing = "no";
  contentType = "";
  contentEncoding = "";
  needsWalk = false;
  /** Decoded path segments, if the route was matched by them. */
  segments: readonly string[] = NONE;
  /** Write to it through `own()`. */
  particulars: Readonly<Particulars> = noParticulars;
  observation: ResponseObserver | null = null;
  /** "" until it is known or generated. */
  requestId = "";
  heads: AnswerHeads = plainHeads;
  /** Header lines of this response alone. */
  lines = "";
  phase: Phase = "open";
  readonly #response: NativeResponse;
  #ledger: ExchangeLedger;
  /** Write to it through `#outlast()`. */
  #outlasting: Readonly<Outlasting> = notOutlasting;

  constructor(response: NativeResponse, ledger: ExchangeLedger) {
    this.#response = response;
    this.#ledger = ledger;
  }

  own(): Particulars {
    if (this.particulars === noParticulars) this.particulars = new Particulars();
    return this.particulars;
  }

  /** Ids for reports, with the trace's ids if the route reads the trace. */
  get reportIds(): Pick<Report, "requestId" | "traceId" | "spanId"> {
    const { trace } = this.particulars;
    const { requestId } = this;
    return trace === null ? { requestId } : { requestId, traceId: trace.traceId, spanId: trace.spanId };
  }

  peer(): Uint8Array {
    return new Uint8Array(this.#response.getRemoteAddress());
  }

  proxied(): Uint8Array {
    return new Uint8Array(this.#response.getProxiedRemoteAddress());
  }

  whenAborted(hook: () => void): void {
    this.#outlast().whenAborted(hook);
  }

  /** True if the outcome of the run has no reader. */
  get isAbandoned(): boolean {
    return this.phase === "aborted" || this.#outlasting.isAbandoned;
  }

  /** Marks the run as abandoned and calls the abort hooks, although the client is still connected. */
  abandon(): void {
    this.#outlast().abandon();
  }

  #outlast(): Outlasting {
    if (this.#outlasting === notOutlasting) this.#outlasting = new Outlasting();
    return this.#outlasting;
  }

  get isOpen(): boolean {
    return this.phase === "open" || this.phase === "waiting";
  }

  wait(): void {
    if (this.phase !== "open") return;
    this.phase = "waiting";
    this.#listen();
  }

  /** Sets the memory that the body takes. Returns false, and changes nothing, if there is no room for more. */
  reserve(bytes: number): boolean {
    const outlasting = this.#outlast();
    if (outlasting.isCut || !this.#ledger.bodies.change(outlasting.reserved, bytes)) return false;
    outlasting.reserved = bytes;
    return true;
  }

  /** From here until `runEnded` a run may hold the body, also if the client gets its response before. */
  runBegan(): void {
    if (this.#outlasting.reserved > 0) this.#outlast().isRunning = true;
  }

  runEnded(): void {
    if (!this.#outlasting.isRunning) return;
    this.#outlast().isRunning = false;
    if (this.phase === "done" || this.phase === "aborted") this.#forgetBody();
  }

  /** Stops counting the body, unless a run holds it. */
  #forgetBody(): void {
    const { reserved, isRunning } = this.#outlasting;
    if (reserved === 0 || isRunning) return;
    this.#ledger.bodies.change(reserved, 0);
    this.#outlast().reserved = 0;
  }

  receive(taker: BodyTaker): void {
    this.wait();
    const outlasting = this.#outlast();
    if (outlasting.held !== null) this.#release(outlasting, taker);
    else outlasting.taker = taker;
  }

  /** Buffers the body for a later `receive`. Bytes above `limit` are dropped; the receiver refuses such a body. */
  hold(limit: number): void {
    if (this.#outlasting.taker !== null || !this.isOpen) return;
    this.wait();
    const outlasting = this.#outlast();
    const held: [ArrayBuffer, boolean][] = [];
    let length = 0;
    outlasting.held = held;
    const take = (piece: ArrayBuffer, last: boolean): void => {
      if (length > limit) return;
      length += piece.byteLength;
      // A receiver finds the cut body by `reserve`.
      outlasting.isCut = !this.reserve(Math.max(outlasting.reserved, length));
      held.push([outlasting.isCut ? NO_BYTES : piece.slice(0), last]);
    };
    outlasting.taker = { take, left: () => {} };
    setImmediate(() => {
      if (outlasting.held === held) this.pause();
    });
  }

  /** Never call it in the handler: the engine sets its idle time-out when that returns, and would cut a paused connection after 12 s. */
  pause(): void {
    if (this.#outlasting.isPaused || !this.isOpen) return;
    this.#outlast().isPaused = true;
    this.#response.pause();
  }

  resume(): void {
    if (!this.#outlasting.isPaused) return;
    this.#outlast().isPaused = false;
    if (this.isOpen) this.#response.resume();
  }

  #give(outlasting: Outlasting, piece: ArrayBuffer, last: boolean): void {
    if (last) {
      outlasting.isWhole = true;
      if (this.phase === "waiting") this.phase = "open";
    }
    (outlasting.lateEnd ?? outlasting.discarding ?? outlasting.taker)?.take(piece, last);
    if (this.phase === "open") this.phase = "waiting";
  }

  #release(outlasting: Outlasting, taker: BodyTaker): void {
    const held = outlasting.held ?? [];
    outlasting.held = null;
    outlasting.taker = taker;
    for (const [piece, last] of held) taker.take(piece, last);
    this.resume();
  }

  /** Adds a header to the response. Replaces a header of the same name unless it accumulates. Throws HEADER_INVALID. */
  addHeader({ name, begin }: AddedHeader, value: string): void {
    assertHeaderValue(name, value);
    // The head is built already.
    if (!this.isOpen) return;
    if (!isAddedTo(name)) {
      if (this.lines.includes(begin)) this.giveWay(begin);
      this.heads = this.heads.without(name);
    } else if (`${this.lines}\r\n`.includes(`${begin}${value}\r\n`)) return;
    else if (name === "set-cookie") this.lines = withoutCookie(this.lines, value);
    this.lines += begin + value;
  }

  /** Drops the response's lines that `lines` replace. */
  giveWay(lines: string): void {
    if (this.lines === "" || lines === "" || !this.isOpen) return;
    this.lines = linesBeside(this.lines, lines);
  }

  /** Sends a whole response. A null body means no body. */
  send(head: AnswerHead, body: string | Uint8Array | null, endsConnection = false): void {
    // Also after a disconnect, because the client will retry.
    this.particulars.keyed?.made(head, body);
    if (!this.isOpen) return;
    if (this.#outlasting !== notOutlasting) this.#readOn();
    this.deliver(head, body, endsConnection);
  }

  /** Writes the response at once, or from a macrotask (X3). */
  protected deliver(head: AnswerHead, body: string | Uint8Array | null, endsConnection: boolean): void {
    const isLate = this.bodyLength !== 0 && this.#hasRest;
    if (this.#endsAnyway(endsConnection) || (isLate && !hasContent(this.method, body))) {
      this.postpone();
      this.#discard(
        (isEarly) => this.#writeLast(head, body, isEarly ? "unended" : this.#endingWith(endsConnection)),
        endsConnection,
      );
    } else if (isLate) {
      const { discardTimeoutMs } = limitsOf(this.bodyLength, this.#ledger.discards);
      this.#outlast().lateEnd = new LateEnd(this.#response, discardTimeoutMs);
      this.#writeLast(head, body, "late");
    } else if (this.phase === "open") writeWhole(this, this.#response, head, body, "kept");
    else this.#response.cork(() => writeWhole(this, this.#response, head, body, "kept"));
  }

  /** The response is built and waits for its macrotask. */
  postpone(): void {
    this.#listen();
    this.phase = "sending";
  }

  /** Excludes the response from compression. */
  leaveAlone(): void {}

  /** Starts a streamed response. For HEAD it is over at once. */
  stream(head: AnswerHead, length?: number, endsConnection = false): AnswerStream {
    if (this.method === "HEAD")
      this.send(length === undefined ? head : withLength(head, length), null, endsConnection);
    else this.particulars.keyed?.made(head, undefined);
    const { isOpen } = this;
    const ends = isOpen && this.#endsWith(endsConnection);
    const stream = new NativeAnswerStream(this, this.#response, { head, length, ends }, isOpen);
    if (!isOpen) return stream;
    this.#readOn();
    this.postpone();
    const outlasting = this.#outlast();
    outlasting.stream = stream;
    if (!ends) return stream;
    // A step that streams its body may respond before the body is complete.
    if (this.#isBeingRead) setImmediate(() => stream.begin());
    else this.#discard(() => stream.begin(), true);
    return stream;
  }

  /** True if the rest of the body has a reader, which has decided without it. */
  get #isBeingRead(): boolean {
    const { taker } = this.#outlasting;
    return taker !== null && taker !== noTaker;
  }

  /** Calls `write` from a macrotask (X3), after the rest of the body was read. */
  #discard(write: (isEarly: boolean) => void, endsConnection: boolean): void {
    const outlasting = this.#outlast();
    const { discards } = this.#ledger;
    const isRefused = this.#endsAnyway(endsConnection);
    if (!this.#hasRest || (isRefused && this.bodyLength > discards.discardLimit)) {
      setImmediate(write, false);
      return;
    }
    const rest = { write, close: () => this.#linger() };
    outlasting.discarding = isRefused
      ? new Discarding(discards, rest)
      : new Discarding(limitsOf(this.bodyLength, discards), rest, this.#isBeingRead ? 0 : undefined);
  }

  get isDiscarding(): boolean {
    const { discarding, lateEnd } = this.#outlasting;
    return discarding?.isReading === true || lateEnd?.isReading === true;
  }

  /** For a long streamed response: stops counting it as in flight, and releases the request's data, and its run unless that is kept. */
  detach(keepsRun: boolean): void {
    if (this.#outlasting.stream?.isOver !== false) return;
    this.#outlast().isRunning = false;
    this.#forgetBody();
    this.#ledger = uncounted(this.#ledger);
    if (!keepsRun) this.#outlast().onAbort = null;
    this.segments = NONE;
    // An observer of the response reads them at its end.
    if (this.observation !== null) return;
    this.particulars = noParticulars;
    this.path = this.host = this.origin = "";
  }

  #endsWith(endsConnection: boolean): boolean {
    return this.#endsAnyway(endsConnection) || (this.bodyLength !== 0 && this.#hasRest);
  }

  #endsAnyway(endsConnection: boolean): boolean {
    return (
      endsConnection ||
      this.closing !== "no" ||
      this.#ledger.endsConnections ||
      (this.bodyLength !== 0 && (this.bodyLength === CHUNKED || this.bodyLength > this.bodyLimit))
    );
  }

  #endingWith(endsConnection: boolean): Ending {
    return this.#endsWith(endsConnection) ? "ended" : "kept";
  }

  /** True if the engine reports the end of the body later. */
  get #hasRest(): boolean {
    const { listens, isWhole } = this.#outlasting;
    return this.bodyLength !== 0 && listens && !isWhole;
  }

  /** Completes a WebSocket handshake (RFC 6455, section 4.2.2). */
  upgrade(head: AnswerHead, { data, key, protocol, extensions, context }: Upgrading): void {
    if (!this.isOpen) return;
    this.#response.cork(() => {
      this.writeHead(head, null);
      this.finish();
      this.#response.upgrade(data, key, protocol, extensions, context);
    });
  }

  /** Discards the rest of the body. */
  #readOn(): void {
    if (this.#outlasting.held !== null) this.#release(this.#outlasting, noTaker);
    this.resume();
  }

  /** Closes the connection without a response. */
  close(): void {
    if (this.phase === "done" || this.phase === "aborted") return;
    try {
      this.#response.close();
    } catch {
      // The engine has released it already.
    }
  }

  /** In a macrotask no caller catches an error, so this catches it. */
  #writeLast(head: AnswerHead, body: string | Uint8Array | null, ending: Ending): void {
    // hole: a freed native response would be written to
    if (this.phase === "aborted") return;
    try {
      this.#response.cork(() => writeWhole(this, this.#response, head, body, ending));
    } catch {
      this.close();
    }
  }

  writeHead(head: AnswerHead, body: string | Uint8Array | null): void {
    this.observation?.begin(head, body);
    this.#response.writeStatus(head.block);
    if (this.lines !== "") this.#writeLines(this.lines);
    else if (this.#ledger.showsIds)
      this.#response.writeHeader(X_REQUEST_ID, this.requestId || newRequestIdBytes());
  }

  // One call for all lines: the value may hold further lines, which were checked.
  #writeLines(lines: string): void {
    if (this.#ledger.showsIds) {
      this.#response.writeHeader(X_REQUEST_ID, (this.requestId || newRequestId()) + lines);
      return;
    }
    const colon = lines.indexOf(": ");
    this.#response.writeHeader(lines.slice(2, colon), lines.slice(colon + 2));
  }

  #listen(): void {
    const outlasting = this.#outlast();
    if (outlasting.listens) return;
    outlasting.listens = true;
    this.#ledger.opened();
    const { bodyLength } = this;
    if (bodyLength !== 0) this.#response.onData((piece, last) => this.#give(outlasting, piece, last));
    this.#response.onAborted(() => {
      if (this.phase === "done") {
        outlasting.ended();
        return;
      }
      this.phase = "aborted";
      this.#ledger.closed();
      this.#forgetBody();
      outlasting.left();
      this.observation?.end(true);
    });
  }

  finish(): void {
    this.#outlasting.discarding?.left();
    this.#end();
  }

  leave(length: number): void {
    const { lateEnd } = this.#outlasting;
    this.#end();
    if (lateEnd !== null) lateEnd.sent(length);
    else if (!this.isDiscarding) this.#linger();
  }

  #linger(): void {
    // A streamed response may still be going on.
    if (this.phase === "done") this.#outlast().lingering = new Lingering(this.#response);
  }

  #end(): void {
    this.phase = "done";
    if (this.#outlasting.listens) this.#ledger.closed();
    this.#forgetBody();
    this.observation?.end(false);
  }
}

const hasContent = (method: string, body: string | Uint8Array | null): boolean =>
  method !== "HEAD" && body !== null && body.length > 0;

export interface Upgrading {
  readonly data: NativeSocketData;
  readonly key: string;
  readonly protocol: string;
  readonly extensions: string;
  readonly context: NativeUpgrade;
}
