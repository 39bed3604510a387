// One request and its answer: the only code that touches a native response.
//
//   X1. Phases: "open" in the handler and while the last piece of a body is handed
//       over, where the engine has corked the response; "waiting" in between and
//       after; "sending" while an answer is handed over in pieces or waits for its
//       turn; then "done" or "aborted" for good. A native response is never touched
//       in the last two: a write after an abort throws in the engine.
//   X2. Whatever leaves the handler unanswered has an abort handler before it does:
//       the engine ends the process otherwise.
//   X3. An answer that must end the connection is written from a macrotask. Written
//       in the handler it would not stop a request behind it in the same segment.
//       So is every answer to a chunked body, whose framing the engine reads loosely, and
//       to one above its limit: what nobody wants is read past, but not without an end.
//   X4. The engine cannot end a connection with an answer that it takes in pieces, or
//       with none at all. There it is told to read no more: what follows is never
//       run, and the idle connection is cut after 8 to 12 s, if the client has not left.

import { assertHeaderValue } from "#core/header-syntax.js";

import {
  type AddedHeader,
  type AnswerHead,
  type AnswerHeads,
  isAddedTo,
  linesBeside,
  plainHeads,
  withLength,
  withoutCookie,
} from "../answer-heads.js";
import type { Link } from "../client.js";
import { lasting, noParticulars, Particulars } from "../particulars.js";
import { newRequestId, newRequestIdBytes } from "../request-id.js";
import { type AnswerStream, NativeAnswerStream } from "./answer-stream.js";
import { type ExchangeLedger, uncounted } from "./exchange-ledger.js";
import { CHUNKED } from "./framing.js";
import type { Head } from "./gate.js";
import { nativeText } from "./native-text.js";
import { type BodyTaker, nobody, notOutlasting, Outlasting } from "./outlasting.js";
import type { NativeResponse } from "./port.js";
import type { Upgrading } from "./upgrading.js";

export type Phase = "open" | "waiting" | "sending" | "done" | "aborted";

const X_REQUEST_ID = nativeText("x-request-id");

/** Larger answers are handed over as the client takes them, not copied into the engine's buffer at once. */
const STREAMED_FROM_BYTES = 65_536;

const NONE: readonly string[] = [];

export class Exchange implements Head, Link {
  method = "";
  path = "";
  query: string | undefined = undefined;
  bodyLength = 0;
  /** In bytes: a longer body ends the connection with the answer. No infinity: V8 would keep an object for each. */
  bodyLimit = 2_147_483_647;
  host = "";
  origin = "";
  isTraced = false;
  contentType = "";
  contentEncoding = "";
  repeats = false;
  /** The decoded segments of the path, where it matched a route by them. */
  segments: readonly string[] = NONE;
  /** What few requests have. Written to by `own()`. */
  particulars: Readonly<Particulars> = noParticulars;
  /** The client's own or one that somebody asked for; "" while nobody has. */
  requestId = "";
  /** How its answer begins. */
  heads: AnswerHeads = plainHeads;
  /** The header lines that this one answer has beside: "" for none. */
  lines = "";
  phase: Phase = "open";
  readonly #response: NativeResponse;
  #ledger: ExchangeLedger;
  /** Written to by `#outlast()`. */
  #outlasting: Readonly<Outlasting> = notOutlasting;

  constructor(response: NativeResponse, ledger: ExchangeLedger) {
    this.#response = response;
    this.#ledger = ledger;
  }

  /** Its own particulars, to write to. */
  own(): Particulars {
    if (this.particulars === noParticulars) this.particulars = new Particulars();
    return this.particulars;
  }

  peer(): Uint8Array {
    return new Uint8Array(this.#response.getRemoteAddress());
  }

  proxied(): Uint8Array {
    return new Uint8Array(this.#response.getProxiedRemoteAddress());
  }

  /** Calls `hook` too when the client goes away. */
  whenAborted(hook: () => void): void {
    this.#outlast().whenAborted(hook);
  }

  /** Whether nobody waits for its run any more. */
  get isAbandoned(): boolean {
    return this.phase === "aborted" || this.#outlasting.isAbandoned;
  }

  /** Calls the hooks too where it has been answered, and nobody waits for its run. */
  abandon(): void {
    this.#outlast().abandon();
  }

  #outlast(): Outlasting {
    if (this.#outlasting === notOutlasting) this.#outlasting = new Outlasting();
    return this.#outlasting;
  }

  /** Whether it can be answered. */
  get isOpen(): boolean {
    return this.phase === "open" || this.phase === "waiting";
  }

  /** Goes on after the handler (X2). */
  wait(): void {
    if (this.phase !== "open") return;
    this.phase = "waiting";
    this.#listen();
  }

  /** Hands over the body. */
  receive(taker: BodyTaker): void {
    this.wait();
    const outlasting = this.#outlast();
    if (outlasting.held !== null) this.#release(outlasting, taker);
    else {
      outlasting.taker = taker;
      this.#response.onData((piece, last) => this.#give(taker, piece, last));
    }
  }

  /**
   * Keeps the body for a `receive` after the handler, where the engine would have
   * dropped it: the client is not read from until then, beyond what has arrived. Of
   * more than `limit` bytes the rest is dropped: whoever receives them refuses them.
   */
  hold(limit: number): void {
    if (this.#outlasting.taker !== null || !this.isOpen) return;
    this.wait();
    const outlasting = this.#outlast();
    const held: [ArrayBuffer, boolean][] = [];
    let length = 0;
    outlasting.held = held;
    this.#response.onData((piece, last) => {
      if (outlasting.taker !== null) this.#give(outlasting.taker, piece, last);
      else if (length <= limit) {
        length += piece.byteLength;
        held.push([piece.slice(0), last]);
      }
    });
    setImmediate(() => {
      if (outlasting.held === held) this.pause();
    });
  }

  /**
   * Reads no more of the body, until it is resumed or answered. Not in the handler: the
   * engine sets its idle time-out as that returns, and a pause would run into it after 12 s.
   */
  pause(): void {
    if (this.#outlasting.isPaused || !this.isOpen) return;
    this.#outlast().isPaused = true;
    this.#response.pause();
  }

  /** Reads on. */
  resume(): void {
    if (!this.#outlasting.isPaused) return;
    this.#outlast().isPaused = false;
    if (this.isOpen) this.#response.resume();
  }

  #give(taker: BodyTaker, piece: ArrayBuffer, last: boolean): void {
    if (last && this.phase === "waiting") this.phase = "open";
    taker.take(piece, last);
    if (this.phase === "open") this.phase = "waiting";
  }

  #release(outlasting: Outlasting, taker: BodyTaker): void {
    const held = outlasting.held ?? [];
    outlasting.held = null;
    outlasting.taker = taker;
    for (const [piece, last] of held) taker.take(piece, last);
    this.resume();
  }

  /** Adds a header to its answer, whatever that will be, in the place of those that may not stand beside it. Throws HEADER_INVALID. */
  addHeader({ name, begin }: AddedHeader, value: string): void {
    assertHeaderValue(name, value);
    // Its head is made already, which may hold a header of the name.
    if (!this.isOpen) return;
    if (!isAddedTo(name)) {
      if (this.lines.includes(begin)) this.giveWay(begin);
      this.heads = this.heads.without(name);
    } else if (`${this.lines}\r\n`.includes(`${begin}${value}\r\n`)) return;
    else if (name === "set-cookie") this.lines = withoutCookie(this.lines, value);
    this.lines += begin + value;
  }

  /** Takes those back that these lines name too. */
  giveWay(lines: string): void {
    if (this.lines === "" || lines === "" || !this.isOpen) return;
    this.lines = linesBeside(this.lines, lines);
  }

  /** Answers. A null body is none at all. */
  send(head: AnswerHead, body: string | Uint8Array | null, endsConnection = false): void {
    // Of a client that has gone as well: it will ask again.
    this.particulars.keyed?.made(head, body);
    if (!this.isOpen) return;
    if (this.#outlasting !== notOutlasting) this.#readOn();
    this.deliver(head, body, endsConnection);
  }

  /** Writes the one answer: at once, or from a macrotask (X3). */
  protected deliver(head: AnswerHead, body: string | Uint8Array | null, endsConnection: boolean): void {
    if (this.#endsWith(endsConnection)) {
      this.postpone();
      setImmediate(() => this.#writeLast(head, body));
    } else if (this.phase === "open") this.#write(head, body, false);
    else this.#writeCorked(head, body, false);
  }

  /** Lets the answer that is made wait for its turn: nobody makes another. */
  protected postpone(): void {
    this.#listen();
    this.phase = "sending";
  }

  /** Its answer stays as it is made; here it does anyhow. */
  leaveAlone(): void {}

  /** Answers piece by piece, of `length` bytes where that is known. Over at once where nobody wants a body. */
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
    this.#outlast().stream = stream;
    if (ends) setImmediate(() => stream.begin());
    return stream;
  }

  /** Its answer in pieces lasts, and has begun: it is no request at work, and what was fetched of it is let go. So is the run, unless that is kept. */
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
      this.#ledger.endsConnections ||
      (this.bodyLength !== 0 && (this.bodyLength === CHUNKED || this.bodyLength > this.bodyLimit))
    );
  }

  /** Makes it a connection of WebSocket (RFC 6455, section 4.2.2), which it is from here on and nothing else. */
  upgrade(head: AnswerHead, { data, key, protocol, extensions, context }: Upgrading): void {
    if (!this.isOpen) return;
    this.#response.cork(() => {
      this.writeHead(head, null);
      this.finish();
      this.#response.upgrade(data, key, protocol, extensions, context);
    });
  }

  /** The rest of the body is read past: what stands behind it is the next request. */
  #readOn(): void {
    if (this.#outlasting.held !== null) this.#release(this.#outlasting, nobody);
    this.resume();
  }

  /** Ends the connection without an answer. */
  close(): void {
    if (this.phase === "done" || this.phase === "aborted") return;
    try {
      this.#response.close();
    } catch {
      // The engine has let go of it already.
    }
  }

  /** The answer that ends the connection, in a turn of its own: nobody is left to catch what goes wrong. */
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

  /** For what hands its answer over. */
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

  // Given a length, the engine spoils the connection, which serves where it is to
  // end; elsewhere the length is a header like any other.
  #writeHeadAlone(length: number, ends: boolean): void {
    if (ends) {
      this.#response.endWithoutBody(length, true);
    } else {
      this.#response.writeHeader("content-length", String(length));
      this.#response.endWithoutBody();
    }
    this.finish();
  }

  // Told to end the connection, the engine would add a length, which a 204 must not
  // have (RFC 9110, section 8.6), so the connection is left unread instead (X4).
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
      this.particulars.observation?.end(this, true);
    });
  }

  /** Its answer is handed over. */
  finish(): void {
    this.phase = "done";
    if (this.#outlasting.listens) this.#ledger.closed();
    this.particulars.observation?.end(this, false);
  }
}
