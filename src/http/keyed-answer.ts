// What becomes of a request's idempotency key once it is claimed, or found answered.

import { headerLine } from "#core/header-syntax.js";
import type { KeptAnswer } from "#core/idempotency-store.js";
import { isFault } from "#core/outcome.js";
import { isRuntimeFault } from "#core/runtime-fault.js";
import type { AnswerHead } from "./answer-heads.js";
import type { Exchange } from "./native/exchange.js";
import { Refusal } from "./refusal.js";
import type { RouteAnswers } from "./route-answers.js";

export interface KeyedAnswer {
  /** Answers what a run came to, whose time began `since`. */
  answer(exchange: Exchange, outcome: unknown, answers: RouteAnswers, since: number | undefined): void;
  /** Told of the answer that is made, whether or not somebody is there to take it. No body: none that could be kept, because it goes out in pieces. */
  made(head: AnswerHead, body: string | Uint8Array | null | undefined): void;
}

/** Where an answer goes that is kept, and a key whose answer is not. */
export interface KeyHolder {
  keep(head: AnswerHead, body: string | Uint8Array | null | undefined): void;
  release(): void;
}

/** `held`: until its lease is over. */
type Fate = "held" | "released" | "kept";

/** Of a later moment the same request may be answered otherwise: too early, too often, too slow. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** The first request of its key: its answer is kept, where it is one that would not change. */
export class HeldKey implements KeyedAnswer {
  readonly #holder: KeyHolder;
  // What is answered before the run has ended, because it takes too long, says nothing of the run.
  #fate: Fate = "held";

  constructor(holder: KeyHolder) {
    this.#holder = holder;
  }

  answer(exchange: Exchange, outcome: unknown, answers: RouteAnswers, since: number | undefined): void {
    this.#fate = fateAfter(outcome);
    answers.send(exchange, outcome, since);
  }

  made(head: AnswerHead, body: string | Uint8Array | null | undefined): void {
    if (this.#fate === "held") return;
    const isLasting = head.status < 500 && !PASSING.has(head.status);
    if (this.#fate === "kept" && isLasting) this.#holder.keep(head, body);
    else this.#holder.release();
  }
}

function fateAfter(outcome: unknown): Fate {
  if (!isFault(outcome)) return "kept";
  const { error } = outcome;
  // The framework's own word on why there is no other answer: a lock is taken, the input does not fit.
  if (error instanceof Refusal) return "released";
  if (!isRuntimeFault(error)) return "kept";
  return error.code === "RUN_ABORTED" ? "held" : "released";
}

const REPLAYED = headerLine("idempotent-replayed", "true");

/** The same request again. Ends its run as a fault, and is answered so whatever layers make of that. */
export class Replay implements KeyedAnswer {
  readonly kind = "idempotent-replay";
  readonly #answer: KeptAnswer;

  constructor(answer: KeptAnswer) {
    this.#answer = answer;
  }

  answer(exchange: Exchange, outcome: unknown, answers: RouteAnswers): void {
    // Layers may have made a stream of it.
    answers.unsent(outcome, undefined, exchange);
    const { status, headers, body } = this.#answer;
    const lines = headers + REPLAYED;
    exchange.giveWay(lines);
    exchange.send(exchange.heads.of(status, lines), body ?? null);
  }

  made(): void {}
}
