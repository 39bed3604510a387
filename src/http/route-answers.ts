// What the runs of one route answer: values by the output schema, faults as problems,
// and what goes wrong on the way.

import { Control, type Fault } from "#core/outcome.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { Reply, respond } from "#core/reply.js";
import type { Report, Reporter } from "#core/reporter.js";
import { isRuntimeFault } from "#core/runtime-fault.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { outputSchemaOf } from "#runtime/axon-definition.js";
import { anyJson, unwrittenOutput } from "#schema/json-value.js";
import { compileSerialiser, type Serialise } from "#schema/serialiser.js";
import { sendReply, sendValue } from "./answer.js";
import { forgetAnswer, noteAnswer } from "./answered-faults.js";
import { type FaultAnswer, faultAnswer, internal } from "./fault-problem.js";
import { FrontFault } from "./front-faults.js";
import type { Deadlines } from "./native/deadlines.js";
import type { Exchange } from "./native/exchange.js";
import { type FaultMapper, mappedFault } from "./on-fault.js";
import { sendFailure, sendProblem, sendRefusal, sendUnrouted } from "./problem-answer.js";
import { Refusal } from "./refusal.js";
import { reportIds } from "./report-ids.js";
import type { AnsweredRoute } from "./sent-answer.js";
import { cancelAnswer, isStream, noteWithin } from "./unsent-answer.js";

export interface AnswerOptions {
  /** Its route, for messages: "GET /orders/:id, Axon 'orders'". */
  readonly where: string;
  readonly axon: AxonDefinition;
  readonly onFault: FaultMapper | undefined;
  readonly production: boolean;
  readonly reporter: Reporter;
  /** Those of the route's time limit. */
  readonly deadlines: Deadlines;
  /** Whether it serves what no route does. */
  readonly isFallback: boolean;
}

export class RouteAnswers {
  readonly #axon: string;
  readonly #serialise: Serialise;
  readonly #options: AnswerOptions;
  readonly #route: AnsweredRoute;

  /** Throws where the output schema does not compile. */
  constructor(options: AnswerOptions) {
    const { axon } = options;
    const output = outputSchemaOf(axon);
    this.#axon = axon.name;
    this.#serialise =
      output === undefined ? anyJson : compileSerialiser(output, { owner: `Axon '${axon.name}', output` });
    this.#options = options;
    const { production, reporter, deadlines } = options;
    this.#route = { axon: axon.name, production, reporter, deadlines };
  }

  /** Answers what a run came to, whose time began `since`, as the route's deadlines count. */
  send(exchange: Exchange, outcome: unknown, since?: number): void {
    if (outcome instanceof Control) {
      this.#answerFault(exchange, outcome as Fault<unknown>, since);
      return;
    }
    try {
      const answer = this.#options.isFallback ? notFound(outcome) : outcome;
      sendValue(exchange, answer, this.#serialise, this.#route, since);
    } catch (error) {
      this.#failToWrite(exchange, error);
    }
  }

  #failToWrite(exchange: Exchange, error: unknown): void {
    const message = unwrittenOutput(this.#options.where, error);
    sendProblem(exchange, internal(message, error, this.#options.production));
    this.#report(exchange, { code: "ANSWER_FAILED", message, error, axon: this.#axon });
  }

  #answerFault(exchange: Exchange, fault: Fault<unknown>, since: number | undefined): void {
    const { error } = fault;
    if (error instanceof Refusal) {
      if (error === exchange.particulars.refusal) sendUnrouted(exchange, error);
      else sendRefusal(exchange, error);
      return;
    }
    const { production } = this.#options;
    const answer = this.#mapped(fault) ?? faultAnswer(error, production);
    noteAnswer(fault, exchange.requestId, answer);
    if (answer instanceof Reply) {
      try {
        // The output schema is about outputs: it would leave out what a fault says.
        sendReply(exchange, answer, anyJson, this.#route, since);
      } catch (cause) {
        this.#failToWrite(exchange, cause);
      }
      return;
    }
    const { problem, report } = answer;
    sendProblem(exchange, problem);
    if (report !== undefined) this.#report(exchange, { ...report, axon: this.#axon });
  }

  /** What the route itself says of a fault that its steps declare. */
  #mapped(fault: Fault<unknown>): FaultAnswer | Reply<unknown> | undefined {
    const { onFault, production } = this.#options;
    if (onFault === undefined || isRuntimeFault(fault.error) || fault instanceof FrontFault) return undefined;
    return mappedFault(onFault, fault.error, production);
  }

  /** Nobody is sent what a run came to, or would have: something else that a layer answers is, or nothing. Never throws. */
  unsent(answer: unknown, instead: unknown, exchange: Exchange): void {
    if (answer instanceof Control) forgetAnswer(answer as Fault<unknown>, exchange.requestId);
    // A layer's own stream may be made of it.
    if (isStream(instead)) noteWithin(instead, answer);
    else cancelAnswer(answer, exchange, this.#route, instead !== undefined);
  }

  /** Answers where the framework itself has failed. */
  fail(exchange: Exchange, error: unknown): void {
    const message = "The framework failed while it answered a request";
    sendFailure(exchange, internal(message, error, this.#options.production));
    this.#report(exchange, { code: "INGRESS_FAILED", message, error, axon: this.#axon });
  }

  /** Of a file that something sent is written to. */
  unstored(exchange: Exchange, error: unknown): void {
    const message = "What a client sent could not be written to a file, or the file not removed";
    this.#report(exchange, { code: "STORAGE_FAILED", message, error, axon: this.#axon });
  }

  #report(exchange: Exchange, report: Report): void {
    this.#options.reporter({ ...report, ...reportIds(exchange) });
  }
}

/** What no route serves was not found, unless the Axon says another status. */
const notFound = (outcome: unknown): unknown =>
  outcome instanceof Reply || outcome instanceof ProblemDetail
    ? outcome
    : respond({ status: 404, body: outcome });
