// The responses of one route: values by the output schema, faults as problems.

import type { TSchema } from "@sinclair/typebox";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import { Control, type Fault, fault, isFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply, respond } from "#core/bus/reply.js";
import type { Report, Reporter } from "#core/bus/reporter.js";
import { isRuntimeFault, isWaiting, runtimeFault, takenRun } from "#core/bus/runtime-fault.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { waitState } from "#runtime/kept/waiting-run.js";
import { anyJson, unwrittenOutput } from "#schema/tree/json-value.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Deadlines } from "../native/deadlines.js";
import { FrontFault } from "../plan/front-faults.js";
import type { FaultMapper } from "../plan/route-definition.js";
import { Refusal } from "../refusal/refusal.js";
import { serialiserOf, ValueSender } from "./answer.js";
import { forgetAnswer, noteAnswer } from "./answered-faults.js";
import { cancelAnswer, isStream, noteWithin } from "./discarded-answer.js";
import { type FaultAnswer, faultAnswer, internal, mappedFault, mappedReport } from "./fault-problem.js";
import { sendFailure, sendProblem, sendRefusal, sendUnrouted } from "./problem-answer.js";
import type { AnsweredRoute } from "./sent-answer.js";
import { StatusSchemas } from "./status-schemas.js";
import { UndeclaredResponses } from "./undeclared-responses.js";

export interface AnswerOptions {
  /** The route, for messages: "GET /orders/:id, Axon 'orders'". */
  readonly where: string;
  readonly axon: AxonDefinition;
  readonly onFault: FaultMapper | undefined;
  readonly responseSchemas: Readonly<Record<number, TSchema>>;
  readonly production: boolean;
  readonly reporter: Reporter;
  /** What the document of the route has; undefined for a route that is in none. */
  readonly declared: readonly DeclaredResponse[] | undefined;
  /** Method and path. */
  readonly route: string;
  /** Deadlines of the route's time-out. */
  readonly deadlines: Deadlines;
  readonly isFallback: boolean;
  /** Makes the path of a run's status; undefined without `runStatus`. */
  readonly statusOf: ((runId: string) => string) | undefined;
  /** Answers for a run that another process goes on with; undefined if the Axon keeps no runs. */
  readonly taken: ((exchange: Exchange, runId: string) => void) | undefined;
}

export class RouteAnswers {
  readonly #axon: string;
  readonly #values: ValueSender;
  readonly #replies: ValueSender;
  /** Undefined for a route without `responseSchemas`. */
  readonly #schemas: StatusSchemas | undefined;
  /** Undefined in production, and for a route that is in no document. */
  readonly #undeclared: UndeclaredResponses | undefined;
  readonly #options: AnswerOptions;
  readonly #route: AnsweredRoute;

  /** Throws if the output schema does not compile. */
  constructor(options: AnswerOptions) {
    const { axon, production, reporter, deadlines, responseSchemas, where, declared } = options;
    this.#undeclared =
      production || declared === undefined
        ? undefined
        : new UndeclaredResponses(options.route, axon, declared);
    this.#axon = axon.name;
    this.#options = options;
    this.#route = { axon: axon.name, production, reporter, deadlines };
    // The output schema would drop properties of a fault.
    this.#replies = new ValueSender(anyJson, this.#route);
    this.#values = new ValueSender(serialiserOf(axon), this.#route);
    const hasSchemas = Object.keys(responseSchemas).length > 0;
    this.#schemas = hasSchemas ? new StatusSchemas(responseSchemas, where, this.#route) : undefined;
  }

  /** `since` is the start of the run's time-out, in ticks. */
  send(exchange: Exchange, outcome: unknown, since?: number): void {
    if (outcome instanceof Control) {
      if (isWaiting(outcome)) {
        this.accepted(exchange, outcome.error.runId, waitState(outcome.error));
        return;
      }
      const runId = takenRun(outcome);
      if (runId === undefined || this.#options.taken === undefined)
        this.#answerFault(exchange, outcome as Fault<unknown>, since);
      else {
        exchange.wait();
        this.#options.taken(exchange, runId);
      }
      return;
    }
    const misfit = this.#schemas?.misfit(outcome);
    if (misfit !== undefined) {
      this.#answerFault(exchange, misfit as Fault<unknown>, since);
      return;
    }
    const values = this.#schemas?.senderOf(outcome) ?? this.#values;
    try {
      values.send(exchange, this.#options.isFallback ? notFound(outcome) : outcome, since);
    } catch (error) {
      this.#failToWrite(exchange, error);
      return;
    }
    this.#warn(exchange, outcome, outcome);
  }

  /** Whether `accepted` can say where the run's status is. */
  get servesStatus(): boolean {
    return this.#options.statusOf !== undefined;
  }

  /** Sends RUN_TAKEN, where its run cannot be told of. */
  sendTaken(exchange: Exchange, runId: string): void {
    this.#answerFault(exchange, fault(runtimeFault({ code: "RUN_TAKEN", runId })), undefined);
  }

  /** Sends 202 for a run that continues, with the location of its status if that is served. */
  accepted(exchange: Exchange, runId: string, state: string = "running"): void {
    const { statusOf } = this.#options;
    const headers = {
      ...(statusOf && { location: statusOf(runId) }),
      ...{ "retry-after": "1", "cache-control": "no-store" },
    };
    this.#replies.reply(exchange, respond({ status: 202, headers, body: { run_id: runId, state } }));
  }

  /** The status of the response to a fault. */
  statusOf(error: unknown): number {
    const answer = this.#mapped(fault(error)) ?? faultAnswer(error, this.#options.production);
    return answer instanceof Reply ? answer.status : answer.problem.status;
  }

  /** Reports that the log of a run could not be read for a response. */
  failToRead(exchange: Exchange, runId: string, error: unknown): void {
    const message = `The log of run '${runId}' could not be read to answer a request`;
    this.#report(exchange, { code: "IDEMPOTENCY_FAILED", message, error, axon: this.#axon });
  }

  #failToWrite(exchange: Exchange, error: unknown): void {
    const message = unwrittenOutput(this.#options.where, error);
    const report = { code: "ANSWER_FAILED", message, error } as const;
    noteFailure(exchange, report);
    sendProblem(exchange, internal(message, error, this.#options.production));
    this.#report(exchange, { ...report, axon: this.#axon });
  }

  #answerFault(exchange: Exchange, fault: Fault<unknown>, since: number | undefined): void {
    const { error } = fault;
    const cause = mappedReport(fault);
    if (cause !== undefined) this.#report(exchange, { ...cause, axon: this.#axon });
    if (error instanceof Refusal) {
      if (error === exchange.particulars.refusal) sendUnrouted(exchange, error);
      else sendRefusal(exchange, error);
      return;
    }
    const { production } = this.#options;
    const said = this.#mapped(fault) ?? faultAnswer(error, production);
    const answer = this.#fitting(fault, said);
    noteAnswer(fault, exchange.requestId, answer);
    if (answer instanceof Reply) {
      try {
        (this.#schemas?.senderOf(answer) ?? this.#replies).reply(exchange, answer, since);
      } catch (cause) {
        this.#failToWrite(exchange, cause);
        return;
      }
      this.#warn(exchange, fault, answer);
      return;
    }
    const { problem, report } = answer;
    if (report !== undefined) noteFailure(exchange, report);
    sendProblem(exchange, problem);
    this.#warn(exchange, fault, problem);
    if (report === undefined) return;
    const isOutput = isRuntimeFault(report.error) && report.error.code === "OUTPUT_INVALID";
    const message = isOutput ? `${this.#options.where}: ${report.message}` : report.message;
    this.#report(exchange, { ...report, message, axon: this.#axon });
  }

  /** Faults of the runtime are in each document that they can occur in. */
  #warn(exchange: Exchange, outcome: unknown, sent: unknown): void {
    if (this.#undeclared === undefined || (isFault(outcome) && isRuntimeFault(outcome.error))) return;
    const report = this.#undeclared.reportOf(outcome, sent);
    if (report !== undefined) this.#report(exchange, report);
  }

  /** The response of a fault, or 500 where it is against a schema of its status. */
  #fitting(fault: Fault<unknown>, answer: FaultAnswer | Reply<unknown>): FaultAnswer | Reply<unknown> {
    if (this.#schemas === undefined || isRuntimeFault(fault.error) || fault instanceof FrontFault)
      return answer;
    const misfit = this.#schemas.misfit(answer instanceof Reply ? answer : answer.problem);
    if (misfit === undefined) return answer;
    return faultAnswer((misfit as Fault<unknown>).error, this.#options.production);
  }

  /** Calls the route's `onFault` for faults that its steps declare. */
  #mapped(fault: Fault<unknown>): FaultAnswer | Reply<unknown> | undefined {
    const { onFault, production } = this.#options;
    if (onFault === undefined || isRuntimeFault(fault.error) || fault instanceof FrontFault) return undefined;
    return mappedFault(onFault, fault.error, production);
  }

  /** Cancels an outcome that is not sent. `instead` is sent, or nothing. Never throws. */
  unsent(answer: unknown, instead: unknown, exchange: Exchange): void {
    if (answer instanceof Control) forgetAnswer(answer as Fault<unknown>, exchange.requestId);
    // A layer's stream may read from the outcome.
    if (isStream(instead)) noteWithin(instead, answer);
    else cancelAnswer(answer, exchange, this.#route, instead !== undefined);
  }

  /** Reports a failure of the framework and sends 500. */
  fail(exchange: Exchange, error: unknown): void {
    const message = "The framework failed while it answered a request";
    const report = { code: "INGRESS_FAILED", message, error } as const;
    noteFailure(exchange, report);
    sendFailure(exchange, internal(message, error, this.#options.production));
    this.#report(exchange, { ...report, axon: this.#axon });
  }

  unstored(exchange: Exchange, error: unknown): void {
    const message = "What a client sent could not be written to a file, or the file not removed";
    this.#report(exchange, { code: "STORAGE_FAILED", message, error, axon: this.#axon });
  }

  #report(exchange: Exchange, report: Report): void {
    this.#options.reporter({ ...report, ...exchange.reportIds });
  }
}

/** Before the response is sent: its observers are told as it ends. */
function noteFailure({ isOpen, observation }: Exchange, report: Report): void {
  if (observation !== null && isOpen) observation.failure = report;
}

/** A fallback responds 404 unless the Axon sets a status. */
const notFound = (outcome: unknown): unknown =>
  outcome instanceof Reply || outcome instanceof ProblemDetail
    ? outcome
    : respond({ status: 404, body: outcome });
