// Pulls a response from a source piece by piece, as the client reads it. The head is sent with the
// first piece: if the source fails before, the response is 500; if it is too slow, 504. The source
// ends once: at its end, by a failure, or by a cancel, which includes the source of a layer's stream.

import { setImmediate as turn } from "node:timers/promises";
import type { ByteSource } from "#core/wire/byte-source.js";
import { unwrittenOutput } from "#schema/tree/json-value.js";
import type { AnswerHead } from "../exchange/answer-heads.js";
import type { AnswerStream } from "../exchange/answer-stream.js";
import type { Exchange } from "../exchange/exchange.js";
import { newRequestId } from "../exchange/request-id.js";
import type { Deadline } from "../native/deadlines.js";
import { Refusal } from "../refusal/refusal.js";
import { CountedPieces, LengthError, PieceError, pullOf } from "./byte-pull.js";
import { cancelWithin } from "./discarded-answer.js";
import { internal } from "./fault-problem.js";
import { sendFailure, sendRefusal } from "./problem-answer.js";
import type { AnsweredRoute } from "./sent-answer.js";

const TIMED_OUT = new Refusal("ROUTE_TIMEOUT");
const GONE = new Error("The response is no longer needed");

/** Bytes before the loop yields to other work, because a source may never wait. */
const TURN_BYTES = 262_144;
const TURN_PIECES = 256;

export interface SourceAnswer {
  readonly head: AnswerHead;
  readonly source: ByteSource;
  /** Bytes; undefined if unknown. */
  readonly length: number | undefined;
}

/** `since` is the start of the route's time-out, in ticks. Throws for a locked stream, with nothing written. */
export function sendSource(
  exchange: Exchange,
  answer: SourceAnswer,
  route: AnsweredRoute,
  since?: number,
): void {
  void new StreamedAnswer(exchange, answer, route).run(since);
}

class StreamedAnswer {
  readonly #exchange: Exchange;
  readonly #answer: SourceAnswer;
  readonly #route: AnsweredRoute;
  readonly #pieces: CountedPieces;
  /** Deadline of the first piece. */
  #deadline: Deadline | undefined;
  #stream: AnswerStream | undefined;
  #hasBegun = false;
  #isOver = false;
  #goOn: () => void = () => {};

  constructor(exchange: Exchange, answer: SourceAnswer, route: AnsweredRoute) {
    this.#exchange = exchange;
    this.#answer = answer;
    this.#route = route;
    this.#pieces = new CountedPieces(pullOf(answer.source), answer.length);
  }

  /** Never rejects. */
  async run(since: number | undefined): Promise<void> {
    const exchange = this.#exchange;
    if (!exchange.isOpen || exchange.method === "HEAD") {
      this.#begin();
      this.#cancel();
      return;
    }
    this.#watch(since);
    this.#hasBegun = true;
    try {
      const first = await this.#pieces.next();
      if (this.#isOver) return;
      this.#unwatch();
      await this.#hand(this.#begin(), first);
    } catch (error) {
      if (!this.#isOver) this.#fail(error);
    }
  }

  #watch(since: number | undefined): void {
    const exchange = this.#exchange;
    exchange.wait();
    exchange.whenAborted(() => {
      // The idempotency key must receive a response.
      if (this.#stream === undefined && exchange.phase === "aborted") this.#begin();
      this.#cancel();
    });
    this.#deadline = this.#route.deadlines.add(() => {
      sendRefusal(exchange, TIMED_OUT);
      exchange.abandon();
    }, since);
  }

  #unwatch(): void {
    if (this.#deadline !== undefined) this.#route.deadlines.remove(this.#deadline);
  }

  #begin(): AnswerStream {
    const exchange = this.#exchange;
    // Reports must have the id of the response.
    exchange.requestId ||= newRequestId();
    const stream = exchange.stream(this.#answer.head, this.#answer.length);
    this.#stream = stream;
    stream.onWritable = () => this.#goOn();
    stream.onOver = () => {
      this.#cancel();
      this.#goOn();
    };
    return stream;
  }

  async #hand(stream: AnswerStream, first: Uint8Array | undefined): Promise<void> {
    let [bytes, pieces] = [0, 0];
    for (let piece = first; piece !== undefined; piece = await this.#pieces.next()) {
      if (this.#isOver) return;
      bytes += piece.length;
      pieces += 1;
      if (!stream.write(piece)) {
        if (!stream.isOver) await this.#room();
      } else if (bytes >= TURN_BYTES || pieces >= TURN_PIECES) await turn();
      else continue;
      [bytes, pieces] = [0, 0];
    }
    if (this.#isOver) return;
    this.#isOver = true;
    stream.end();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#unwatch();
    const { axon, production } = this.#route;
    const stream = this.#stream;
    if (stream === undefined) {
      const message = unwrittenOutput(axon, error);
      sendFailure(this.#exchange, internal(message, error, production));
      this.#report("ANSWER_FAILED", message, error);
    } else {
      this.#report("STREAM_FAILED", `${axon}: its answer broke off, and its connection was ended`, error);
      stream.fail();
    }
    if (error instanceof LengthError || error instanceof PieceError) this.#stop();
  }

  #cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unwatch();
    this.#stop();
  }

  #stop(): void {
    const stopped = this.#pieces.cancel(GONE).catch((error: unknown) => {
      this.#report("STREAM_FAILED", `${this.#route.axon}: its stream failed when it was cancelled`, error);
    });
    if (!this.#hasBegun)
      void stopped.then(() => cancelWithin(this.#answer.source, this.#exchange, this.#route));
  }

  #report(code: "ANSWER_FAILED" | "STREAM_FAILED", message: string, error: unknown): void {
    const { axon, reporter } = this.#route;
    reporter({ code, message, error, axon, ...this.#exchange.reportIds });
  }
}
