import { headerLine } from "#core/header-syntax.js";
import type { ProblemDetail } from "#core/problem-detail.js";
import type { Exchange } from "./native/exchange.js";
import type { Refusal } from "./refusal.js";
import { newRequestId } from "./request-id.js";

/**
 * Answers a problem, with an id to find it by. `lines` are the headers beside it, as
 * `headerLine` makes them; `ends` ends the connection.
 */
export function sendProblem(exchange: Exchange, problem: ProblemDetail, lines = "", ends = false): void {
  const { status } = problem;
  exchange.requestId ||= newRequestId();
  exchange.giveWay(lines);
  const { heads } = exchange;
  const head = lines === "" ? heads.problem(status) : heads.problemOf(status, lines);
  exchange.send(head, problemBody(problem, exchange.path, exchange.requestId), ends);
}

/** Answers after a failure of the framework, or, where that fails too, closes the connection. Never throws. */
export function sendFailure(exchange: Exchange, problem: ProblemDetail): void {
  try {
    sendProblem(exchange, problem);
  } catch {
    exchange.close();
  }
}

/** Answers a refusal, and ends the connection where it says so. */
export function sendRefusal(exchange: Exchange, { problem, headers, ends }: Refusal): void {
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  sendProblem(exchange, problem, lines.join(""), ends);
}

/** Answers why no route serves a request; where one would by another method, OPTIONS lists them. */
export function sendUnrouted(exchange: Exchange, refusal: Refusal): void {
  const { allow } = refusal.headers;
  if (exchange.method === "OPTIONS" && allow !== undefined) {
    exchange.send(exchange.heads.of(204, headerLine("allow", allow)), null);
  } else sendRefusal(exchange, refusal);
}

/** A problem document (RFC 9457). `instance` is the request's path. */
export function problemBody(problem: ProblemDetail, instance: string, requestId: string): string {
  const { type, title, status, detail, code, errors, extensions } = problem;
  return JSON.stringify({
    ...extensions,
    type,
    title,
    status,
    detail,
    instance,
    code,
    request_id: requestId,
    errors,
  });
}
