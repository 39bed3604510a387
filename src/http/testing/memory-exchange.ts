import { setImmediate as turn } from "node:timers/promises";
import { MemoryRequest } from "../exchange/memory/memory-request.js";
import type { PieceTaker } from "../exchange/memory/memory-response.js";
import { MemoryResponse } from "../exchange/memory/memory-response.js";
import type { NativeUpgrade } from "../native/port.js";
import type { Dispatcher } from "../request/dispatcher.js";
import type { SentRequest, TestPieces } from "./test-request.js";
import { TestResponse } from "./test-response.js";

/** One request through a dispatcher, as on a separate connection. */
export class MemoryExchange {
  /** Resolves to the response. Rejects if the connection is closed first. */
  readonly answer: Promise<TestResponse>;
  readonly #response: MemoryResponse;
  #failure: unknown;

  constructor(
    dispatcher: Dispatcher,
    method: string,
    sent: SentRequest,
    peer: Uint8Array,
    upgrade: NativeUpgrade | null = null,
    reader?: PieceTaker,
  ) {
    const { target, headers, body } = sent;
    this.#failure = undefined;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const response = new MemoryResponse(end, peer, reader);
    if (reader !== undefined) reader.leave = () => this.leave();
    this.#response = response;
    this.answer = ended.then(() => {
      if (!response.isWhole) throw this.#failure ?? new Error(`${method} ${target}: ${howFar(response)}`);
      return new TestResponse(response.head, response.body);
    });
    dispatcher.handle(response, new MemoryRequest(target, headers), method, "", upgrade);
    response.requireGuarded();
    if (body instanceof Uint8Array) response.deliver(body, true);
    else void deliverPieces(response, body, lengthIn(headers)).catch((error) => this.leave(error));
  }

  /** Disconnects the client. */
  leave(reason?: unknown): void {
    this.#failure = reason ?? this.#failure;
    this.#response.abort();
  }
}

const howFar = ({ head, length }: MemoryResponse): string =>
  head.length === 0
    ? "the connection was closed unanswered"
    : `the connection was closed after ${length} bytes of an answer that was not whole`;

const lengthIn = (headers: SentRequest["headers"]): number =>
  Number(headers.find(([name]) => name === "content-length")?.[1] ?? Number.POSITIVE_INFINITY);

/**
 * Delivers each piece in a separate turn, and none while the server has paused reading. Without a
 * length, an empty piece marks the end; with a length, the last byte does.
 */
async function deliverPieces(response: MemoryResponse, pieces: TestPieces, length: number): Promise<void> {
  let delivered = 0;
  for await (const piece of pieces) {
    await turn();
    await response.reading;
    if (response.isEnded) return;
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    delivered += bytes.length;
    response.deliver(bytes, delivered >= length);
    if (delivered >= length) return;
  }
  if (length !== Number.POSITIVE_INFINITY) return;
  await turn();
  await response.reading;
  if (!response.isEnded) response.deliver(new Uint8Array(), true);
}
