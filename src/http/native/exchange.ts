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
//       So is every answer to a chunked body, whose framing the engine reads loosely.
//   X4. The engine cannot end a connection with an answer that it takes in pieces, or
//       with none at all. There it is told to read no more: what follows is never
//       run, and the idle connection is cut after 10 s, if the client has not left.

import type { RawParameters } from "#schema/coercion.js";
import { newRequestIdBytes } from "../request-id.js";
import { CHUNKED } from "./framing.js";
import type { Head } from "./gate.js";
import { nativeText } from "./native-text.js";
import type { NativeResponse } from "./port.js";

export type Phase = "open" | "waiting" | "sending" | "done" | "aborted";

/** Told when an exchange outlives its handler, and when it has ended. */
export interface ExchangeLedger {
  opened(): void;
  closed(): void;
  /** Whether the connection is to end after the next answer. */
  readonly draining: boolean;
}

const X_REQUEST_ID = nativeText("x-request-id");

/** Larger answers are handed over as the client takes them, not copied into the engine's buffer at once. */
const STREAMED_FROM_BYTES = 65_536;

const NONE: readonly string[] = [];

export class Exchange implements Head {
  method = "";
  path = "";
  query: string | undefined = undefined;
  bodyLength = 0;
  contentType = "";
  contentEncoding = "";
  /** The decoded segments of the path, where it matched a route by them. */
  segments: readonly string[] = NONE;
  /** The decoded query, where the route declares that it reads it. */
  parameters: RawParameters | null = null;
  /** The headers that the route declares, in its order. */
  headers: readonly string[] = NONE;
  /** The client's own or one that somebody asked for; "" while nobody has. */
  requestId = "";
  /** Whether each answer carries the request id. */
  showsId = false;
  phase: Phase = "open";
  /** Called when the client goes away. */
  onAbort: ((exchange: Exchange) => void) | null = null;
  readonly #response: NativeResponse;
  readonly #ledger: ExchangeLedger;
  #listens = false;

  constructor(response: NativeResponse, ledger: ExchangeLedger) {
    this.#response = response;
    this.#ledger = ledger;
  }

  /** Goes on after the handler (X2). */
  wait(): void {
    if (this.phase !== "open") return;
    this.phase = "waiting";
    this.#listen();
  }

  /** Hands over the body's pieces; `last` with the final one. A piece is gone when `each` returns. */
  receive(each: (piece: ArrayBuffer, last: boolean) => void): void {
    this.wait();
    this.#response.onData((piece, last) => {
      if (last && this.phase === "waiting") this.phase = "open";
      each(piece, last);
    });
  }

  /** Answers. `block` is the status with the constant headers; a null body is none at all. */
  send(block: ArrayBuffer, body: string | Uint8Array | null, endsConnection = false): void {
    if (this.phase !== "open" && this.phase !== "waiting") return;
    const ends = endsConnection || this.bodyLength === CHUNKED || this.#ledger.draining;
    if (ends) {
      this.#listen();
      this.phase = "sending";
      setImmediate(() => this.#writeLast(block, body));
    } else if (this.phase === "open") {
      this.#write(block, body, false);
    } else {
      this.#writeCorked(block, body, false);
    }
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
  #writeLast(block: ArrayBuffer, body: string | Uint8Array | null): void {
    if (this.phase === "aborted") return;
    try {
      this.#writeCorked(block, body, true);
    } catch {
      this.close();
    }
  }

  #writeCorked(block: ArrayBuffer, body: string | Uint8Array | null, ends: boolean): void {
    this.#response.cork(() => this.#write(block, body, ends));
  }

  #write(block: ArrayBuffer, body: string | Uint8Array | null, ends: boolean): void {
    const response = this.#response;
    response.writeStatus(block);
    if (this.showsId) response.writeHeader(X_REQUEST_ID, this.requestId || newRequestIdBytes());
    if (body === null) {
      this.#writeNothing(ends);
    } else if (this.method === "HEAD") {
      this.#writeHeadAlone(Buffer.byteLength(body), ends);
    } else if (body.length >= STREAMED_FROM_BYTES) {
      this.#listen();
      this.phase = "sending";
      if (ends) response.writeHeader("connection", "close");
      this.#stream(typeof body === "string" ? Buffer.from(body) : body, ends);
    } else {
      response.end(body, ends);
      this.#done();
    }
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
    this.#done();
  }

  // Told to end the connection, the engine would add a length, which a 204 must not
  // have (RFC 9110, section 8.6), so the connection is left unread instead (X4).
  #writeNothing(ends: boolean): void {
    if (ends) this.#response.writeHeader("connection", "close").pause();
    this.#response.endWithoutBody();
    this.#done();
  }

  #stream(body: Uint8Array, ends: boolean): void {
    const response = this.#response;
    const hand = (offset: number): boolean => {
      // Before each piece: one that is not taken whole makes the engine read again.
      if (ends) response.pause();
      const [taken, done] = response.tryEnd(offset === 0 ? body : body.subarray(offset), body.length);
      if (done) this.#done();
      return taken;
    };
    hand(0);
    if (this.phase === "sending") response.onWritable(hand);
  }

  #listen(): void {
    if (this.#listens) return;
    this.#listens = true;
    this.#ledger.opened();
    this.#response.onAborted(() => {
      if (this.phase === "done") return;
      this.phase = "aborted";
      this.#ledger.closed();
      this.onAbort?.(this);
    });
  }

  #done(): void {
    this.phase = "done";
    if (this.#listens) this.#ledger.closed();
  }
}
