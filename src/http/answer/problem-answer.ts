import type { ProblemDetail } from "#core/bus/problem-detail.js";
import { headerLine } from "#core/wire/header-syntax.js";
import type { Exchange } from "../exchange/exchange.js";
import { newRequestId } from "../exchange/request-id.js";
import type { Refusal } from "../refusal/refusal.js";

/** Sends a problem with the request's id. `lines` are further headers, as `headerLine` makes them. */
export function sendProblem(exchange: Exchange, problem: ProblemDetail, lines = "", ends = false): void {
  const { status, code } = problem;
  const { observation } = exchange;
  if (observation !== null && exchange.isOpen) observation.code = code;
  exchange.requestId ||= newRequestId();
  exchange.giveWay(lines);
  const { heads } = exchange;
  const head = lines === "" ? heads.problem(status) : heads.problemOf(status, lines);
  exchange.send(head, problemBody(problem, exchange.path, exchange.requestId), ends);
}

/** Sends a problem after a failure of the framework. Closes the connection if this fails too. Never throws. */
export function sendFailure(exchange: Exchange, problem: ProblemDetail): void {
  try {
    sendProblem(exchange, problem);
  } catch {
    exchange.close();
  }
}

export function sendRefusal(exchange: Exchange, { problem, headers, ends }: Refusal): void {
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  sendProblem(exchange, problem, lines.join(""), ends);
}

/** Sends the refusal of a request without a route. OPTIONS of a path with other methods lists them. */
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
