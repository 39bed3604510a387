// Sends the response of a request with an idempotency key.

import { isFault } from "#core/bus/outcome.js";
import { isRuntimeFault, takenRun } from "#core/bus/runtime-fault.js";
import type { KeptAnswer } from "#core/ports/idempotency-store.js";
import { headerLine } from "#core/wire/header-syntax.js";
import type { RouteAnswers } from "../answer/route-answers.js";
import { type AnswerHead, withoutCookies } from "../exchange/answer-heads.js";
import type { Exchange } from "../exchange/exchange.js";
import type { KeyedAnswer } from "../exchange/particulars.js";
import { isPassing, Refusal } from "../refusal/refusal.js";
import { type Attachment, answerAttached } from "./attached-run.js";

/** The request, and the responses of its route. */
export interface Answering {
  readonly exchange: Exchange;
  readonly answers: RouteAnswers;
}

export interface KeyHolder {
  keep(head: AnswerHead, body: string | Uint8Array | null | undefined): void;
  release(): void;
  /** The run of the key; undefined if runs are not kept. */
  readonly attachment: Attachment | undefined;
}

/** `held` means until the end of the lease. */
type Fate = "held" | "released" | "kept";

/** The first request of a key. Its response is stored, except for temporary failures. */
export class HeldKey implements KeyedAnswer {
  readonly #holder: KeyHolder;
  readonly #answering: Answering;
  // A response before the end of the run, such as a time-out, is not stored.
  #fate: Fate = "held";

  constructor(holder: KeyHolder, answering: Answering) {
    this.#holder = holder;
    this.#answering = answering;
  }

  answer(outcome: unknown, since: number | undefined): void {
    const { exchange, answers } = this.#answering;
    const { attachment } = this.#holder;
    const send = (ended: unknown): void => {
      this.#fate = fateAfter(ended);
      answers.send(exchange, ended, since);
    };
    this.#fate = "released";
    // The process that started the run has ended. Another one has resumed it, or will.
    if (attachment === undefined || takenRun(outcome) === undefined) send(outcome);
    else {
      exchange.wait();
      void answerAttached(attachment, exchange, answers, send);
    }
  }

  made(head: AnswerHead, body: string | Uint8Array | null | undefined): void {
    if (this.#fate === "held") return;
    const isLasting = !isPassing(head.status);
    if (this.#fate === "kept" && isLasting) this.#holder.keep(head, body);
    else this.#holder.release();
  }
}

function fateAfter(outcome: unknown): Fate {
  if (!isFault(outcome)) return "kept";
  const { error } = outcome;
  // A busy lock or an invalid input: not a response of the program.
  if (error instanceof Refusal) return "released";
  if (!isRuntimeFault(error)) return "kept";
  return error.code === "RUN_ABORTED" ? "held" : "released";
}

const REPLAYED = headerLine("idempotent-replayed", "true");

/** A repeated request: a fault ends its run. The response is the stored one, whatever layers return. */
export class Replay implements KeyedAnswer {
  readonly kind = "idempotent-replay";
  readonly #answer: KeptAnswer;
  readonly #answering: Answering;

  constructor(answer: KeptAnswer, answering: Answering) {
    this.#answer = answer;
    this.#answering = answering;
  }

  answer(outcome: unknown): void {
    const { exchange, answers } = this.#answering;
    // A layer may have replaced it by a stream.
    answers.unsent(outcome, undefined, exchange);
    const { status, headers, body } = this.#answer;
    // Again, because an earlier release stored them.
    const lines = withoutCookies(headers) + REPLAYED;
    exchange.giveWay(lines);
    exchange.send(exchange.heads.of(status, lines), body ?? null);
  }

  made(): void {}
}

/** A request whose key another request holds. */
export class AttachedRun implements KeyedAnswer {
  readonly kind = "attached-run";
  readonly #attachment: Attachment;
  readonly #answering: Answering;

  constructor(attachment: Attachment, answering: Answering) {
    this.#attachment = attachment;
    this.#answering = answering;
  }

  answer(_: unknown, since: number | undefined): void {
    const { exchange, answers } = this.#answering;
    exchange.wait();
    void answerAttached(this.#attachment, exchange, answers, (outcome) =>
      answers.send(exchange, outcome, since),
    );
  }

  made(): void {}
}
