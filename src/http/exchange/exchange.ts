// One request and its response: the only code that touches a native response.
//
//   X1. Phases: "open" in the handler and while the last piece of a body is handed over, where
//       the engine has corked the response; "waiting" otherwise; "sending" while a response is
//       written in pieces or waits for its turn; then "done" or "aborted" for good, where the
//       native response is never touched: a write after an abort throws.
//   X2. A request that leaves the handler unanswered has an abort handler before it does: the
//       engine ends the process otherwise.
//   X3. A response that ends the connection is written from a macrotask: written in the handler it
//       would not stop a pipelined request in the same segment. So is every response to a chunked
//       body, whose framing the engine reads loosely, and to one above its limit. The rest of the
//       body is read first (see Discarding).
//   X4. The engine cannot end a connection with a response in pieces or without a body. It is told
//       to read no more instead, and cuts the idle connection after 8 to 12 s.

import type { Report } from "#core/bus/reporter.js";
import { assertHeaderValue } from "#core/wire/header-syntax.js";
import type { Link } from "../client/client.js";
import { CHUNKED } from "../native/framing.js";
import type { Head } from "../native/gate.js";
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
import { Discarding } from "./discarding.js";
import { type ExchangeLedger, uncounted } from "./in-flight.js";
import { type BodyTaker, noTaker, notOutlasting, Outlasting } from "./outlasting.js";
import { lasting, noParticulars, Particulars } from "./particulars.js";
import { newRequestId, newRequestIdBytes } from "./request-id.js";

export type Phase = "open" | "waiting" | "sending" | "done" | "aborted";

const X_REQUEST_ID = nativeText("x-request-id");

/** Larger responses are written as the client takes them, not copied into the engine's buffer at once. */
const STREAMED_FROM_BYTES = 65_536;

const NONE: readonly string[] = [];

export class Exchange implements Head, Link {
  method = "";
  path = "";
  query: string | undefined = undefined;
  bodyLength = 0;
  /** Bytes: a longer body ends the connection. Not Infinity, which V8 would box. */
  bodyLimit = 2_147_483_647;
  host = "";
  origin = "";
  isTraced = false;
  isLast = false;
  contentType = "";
  contentEncoding = "";
  needsWalk = false;
  /** Decoded, where the path matched a route by them. */
  segments: readonly string[] = NONE;
  /** To be written to by `own()`. */
  particulars: Readonly<Particulars> = noParticulars;
  /** "" until it is known or asked for. */
  requestId = "";
  heads: AnswerHeads = plainHeads;
  /** Header lines of this response alone. */
  lines = "";
  phase: Phase = "open";
  readonly #response: NativeResponse;
  #ledger: ExchangeLedger;
  /** To be written to by `#outlast()`. */
  #outlasting: Readonly<Outlasting> = notOutlasting;

  constructor(response: NativeResponse, ledger: ExchangeLedger) {
    this.#response = response;
    this.#ledger = ledger;
  }

  own(): Particulars {
    if (this.particulars === noParticulars) this.particulars = new Particulars();
    return this.particulars;
  }

  /** With those of its trace where the route reads it. */
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

  /** Whether the outcome of its run has no reader. */
  get isAbandoned(): boolean {
    return this.phase === "aborted" || this.#outlasting.isAbandoned;
  }

  /** Calls the hooks too, though the client is still there. */
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

  receive(taker: BodyTaker): void {
    this.wait();
    const outlasting = this.#outlast();
    if (outlasting.held !== null) this.#release(outlasting, taker);
    else {
      outlasting.taker = taker;
      this.#read(outlasting);
    }
  }

  /** Once: the engine would free the callback that runs. */
  #read(outlasting: Outlasting): void {
    this.#response.onData((piece, last) => this.#give(outlasting, piece, last));
  }

  /** Keeps the body for a later `receive`. Of more than `limit` bytes the rest is dropped: the receiver refuses them. */
  hold(limit: number): void {
    if (this.#outlasting.taker !== null || !this.isOpen) return;
    this.wait();
    const outlasting = this.#outlast();
    const held: [ArrayBuffer, boolean][] = [];
    let length = 0;
    outlasting.held = held;
    this.#response.onData((piece, last) => {
      if (outlasting.taker !== null) {
        this.#give(outlasting, piece, last);
        return;
      }
      if (last) outlasting.isWhole = true;
      if (length > limit) return;
      length += piece.byteLength;
      held.push([piece.slice(0), last]);
    });
    setImmediate(() => {
      if (outlasting.held === held) this.pause();
    });
  }

  /** Not to be called in the handler: the engine sets its idle time-out as that returns, and would cut a paused connection after 12 s. */
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
    (outlasting.discarding ?? outlasting.taker)?.take(piece, last);
    if (this.phase === "open") this.phase = "waiting";
  }

  #release(outlasting: Outlasting, taker: BodyTaker): void {
    const held = outlasting.held ?? [];
    outlasting.held = null;
    outlasting.taker = taker;
    for (const [piece, last] of held) taker.take(piece, last);
    this.resume();
  }

  /** Adds a header to its response, replacing one that may not stand beside it. Throws HEADER_INVALID. */
  addHeader({ name, begin }: AddedHeader, value: string): void {
    assertHeaderValue(name, value);
    // Its head is made already.
    if (!this.isOpen) return;
    if (!isAddedTo(name)) {
      if (this.lines.includes(begin)) this.giveWay(begin);
      this.heads = this.heads.without(name);
    } else if (`${this.lines}\r\n`.includes(`${begin}${value}\r\n`)) return;
    else if (name === "set-cookie") this.lines = withoutCookie(this.lines, value);
    this.lines += begin + value;
  }

  /** Drops those of its lines that these replace. */
  giveWay(lines: string): void {
    if (this.lines === "" || lines === "" || !this.isOpen) return;
    this.lines = linesBeside(this.lines, lines);
  }

  /** A null body is none at all. */
  send(head: AnswerHead, body: string | Uint8Array | null, endsConnection = false): void {
    // Also where the client has disconnected: it will ask again.
    this.particulars.keyed?.made(head, body);
    if (!this.isOpen) return;
    if (this.#outlasting !== notOutlasting) this.#readOn();
    this.deliver(head, body, endsConnection);
  }

  /** Writes the response at once, or from a macrotask (X3). */
  protected deliver(head: AnswerHead, body: string | Uint8Array | null, endsConnection: boolean): void {
    if (this.#endsWith(endsConnection)) {
      this.postpone();
      this.#discard(() => this.#writeLast(head, body));
    } else if (this.phase === "open") this.#write(head, body, false);
    else this.#writeCorked(head, body, false);
  }

  /** The response is made and waits for its turn. */
  protected postpone(): void {
    this.#listen();
    this.phase = "sending";
  }

  /** The response must not be compressed. */
  leaveAlone(): void {}

  /** Responds in pieces. Over at once for HEAD. */
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
    // A step that reads its body as it arrives may respond meanwhile.
    if (outlasting.taker !== null && outlasting.taker !== noTaker) setImmediate(() => stream.begin());
    else this.#discard(() => stream.begin());
    return stream;
  }

  /** Calls `write` from a macrotask (X3), when the rest of the body is read. */
  #discard(write: () => void): void {
    const outlasting = this.#outlast();
    const { discards } = this.#ledger;
    if (this.bodyLength === 0 || outlasting.isWhole || this.bodyLength > discards.discardLimit) {
      setImmediate(write);
      return;
    }
    outlasting.discarding = new Discarding(discards, write);
    if (outlasting.taker === null) this.#read(outlasting);
  }

  /** Its response in pieces lasts: it no longer counts as in flight, and releases what it holds of the request, and its run unless that is kept. */
  detach(keepsRun: boolean): void {
    if (this.#outlasting.stream?.isOver !== false) return;
    this.#ledger = uncounted(this.#ledger);
    if (!keepsRun) this.#outlast().onAbort = null;
    this.segments = NONE;
    this.particulars = lasting(this.particulars);
    if (this.particulars === noParticulars) this.path = this.host = this.origin = "";
  }

  #endsWith(endsConnection: boolean): boolean {
    return (
      endsConnection ||
      this.isLast ||
      this.#ledger.endsConnections ||
      (this.bodyLength !== 0 && (this.bodyLength === CHUNKED || this.bodyLength > this.bodyLimit))
    );
  }

  /** RFC 6455, section 4.2.2. */
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

  /** Ends the connection without a response. */
  close(): void {
    if (this.phase === "done" || this.phase === "aborted") return;
    try {
      this.#response.close();
    } catch {
      // The engine has released it already.
    }
  }

  /** In a turn of its own there is no caller to catch an error. */
  #writeLast(head: AnswerHead, body: string | Uint8Array | null): void {
    if (this.phase === "aborted") return;
    try {
      this.#writeCorked(head, body, true);
    } catch {
      this.close();
    }
  }

  #writeCorked(head: AnswerHead, body: string | Uint8Array | null, ends: boolean): void {
    this.#response.cork(() => this.#write(head, body, ends));
  }

  #write(head: AnswerHead, body: string | Uint8Array | null, ends: boolean): void {
    const response = this.#response;
    this.writeHead(head, body);
    if (body === null) {
      this.#writeNothing(ends);
    } else if (this.method === "HEAD") {
      this.#writeHeadAlone(Buffer.byteLength(body), ends);
    } else if (body.length >= STREAMED_FROM_BYTES) {
      this.postpone();
      this.#writePieces(typeof body === "string" ? Buffer.from(body) : body, ends);
    } else {
      response.end(body, ends);
      this.finish();
    }
  }

  writeHead({ status, block }: AnswerHead, body: string | Uint8Array | null): void {
    const { observation } = this.particulars;
    if (observation !== null) observation.begin(status, body);
    this.#response.writeStatus(block);
    if (this.lines !== "") this.#writeLines(this.lines);
    else if (this.#ledger.showsIds)
      this.#response.writeHeader(X_REQUEST_ID, this.requestId || newRequestIdBytes());
  }

  // A value may hold whole lines behind it, which were checked: one call for all of them.
  #writeLines(lines: string): void {
    if (this.#ledger.showsIds) {
      this.#response.writeHeader(X_REQUEST_ID, (this.requestId || newRequestId()) + lines);
      return;
    }
    const colon = lines.indexOf(": ");
    this.#response.writeHeader(lines.slice(2, colon), lines.slice(colon + 2));
  }

  // With a length the engine ends the connection.
  #writeHeadAlone(length: number, ends: boolean): void {
    if (ends) {
      this.#response.endWithoutBody(length, true);
    } else {
      this.#response.writeHeader("content-length", String(length));
      this.#response.endWithoutBody();
    }
    this.finish();
  }

  // Told to end the connection, the engine would add a length, which a 204 must not have
  // (RFC 9110, section 8.6): it is left unread instead (X4).
  #writeNothing(ends: boolean): void {
    if (ends) this.#response.writeHeader("connection", "close").pause();
    this.#response.endWithoutBody();
    this.finish();
  }

  #writePieces(body: Uint8Array, ends: boolean): void {
    const stream = new NativeAnswerStream(this, this.#response, { head: null, length: body.length, ends });
    stream.write(body);
    stream.end();
  }

  #listen(): void {
    const outlasting = this.#outlast();
    if (outlasting.listens) return;
    outlasting.listens = true;
    this.#ledger.opened();
    this.#response.onAborted(() => {
      if (this.phase === "done") return;
      this.phase = "aborted";
      this.#ledger.closed();
      outlasting.left();
      this.particulars.observation?.end(true);
    });
  }

  finish(): void {
    this.phase = "done";
    if (this.#outlasting.listens) this.#ledger.closed();
    this.particulars.observation?.end(false);
  }
}

export interface Upgrading {
  readonly data: NativeSocketData;
  readonly key: string;
  readonly protocol: string;
  readonly extensions: string;
  readonly context: NativeUpgrade;
}
