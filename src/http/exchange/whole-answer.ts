// Writes a response whose body is in memory.

import type { NativeResponse } from "../native/port.js";
import type { AnswerHead } from "./answer-heads.js";
import { NativeAnswerStream, type StreamedExchange } from "./answer-stream.js";

/** Larger responses are written as the client reads them, instead of being copied into the engine's buffer. */
const STREAMED_FROM_BYTES = 65_536;

/**
 * What becomes of the connection. "late": it is kept, and the response ends for the engine when its
 * body is over. "unended": it is closed, and the response never ends for the engine, which would run
 * what is pipelined behind an unread body.
 */
export type Ending = "kept" | "late" | "ended" | "unended";

export interface WrittenExchange extends StreamedExchange {
  readonly method: string;
  postpone(): void;
}

/** Writes head and body. A null body means no body. */
export function writeWhole(
  exchange: WrittenExchange,
  response: NativeResponse,
  head: AnswerHead,
  body: string | Uint8Array | null,
  ending: Ending,
): void {
  exchange.writeHead(head, body);
  if (body === null) writeBodiless(exchange, response, "", ending);
  else if (exchange.method === "HEAD")
    writeBodiless(exchange, response, String(Buffer.byteLength(body)), ending);
  else if (
    body.length >= STREAMED_FROM_BYTES ||
    (body.length > 0 && (ending === "unended" || ending === "late"))
  ) {
    exchange.postpone();
    writePieces(exchange, response, typeof body === "string" ? Buffer.from(body) : body, ending);
  } else if (ending === "unended") writeBodiless(exchange, response, "0", ending);
  else {
    response.end(body, ending === "ended");
    exchange.finish();
  }
}

function writePieces(
  exchange: WrittenExchange,
  response: NativeResponse,
  body: Uint8Array,
  ending: Ending,
): void {
  const ends = ending === "ended" || ending === "unended";
  const options = { head: null, length: body.length, ends, isLate: ending === "late" };
  const stream = new NativeAnswerStream(exchange, response, options);
  stream.write(body);
  stream.end();
}

/** `length` is "" for a response that must not have one (RFC 9110, section 8.6). */
function writeBodiless(
  exchange: WrittenExchange,
  response: NativeResponse,
  length: string,
  ending: Ending,
): void {
  if (length !== "") response.writeHeader("content-length", length);
  if (ending === "kept" || (ending === "ended" && exchange.closing === "alone")) {
    if (ending === "ended") response.writeHeader("connection", "close");
    response.endWithoutBody();
    exchange.finish();
    return;
  }
  // Asked to close the connection, the engine would wait for the body of this length, or add a
  // length (X4). So the head is ended here: the engine adds the second CR LF, but no Date.
  response.writeHeader("date", new Date().toUTCString());
  response.writeHeader("connection", "close\r\n");
  exchange.leave(0);
}
