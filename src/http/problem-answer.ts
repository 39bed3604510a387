import type { ProblemDetail } from "#core/problem-detail.js";
import type { Exchange } from "./native/exchange.js";
import type { Refusal } from "./refusal.js";
import { newRequestId } from "./request-id.js";
import { statusBlock } from "./status-block.js";

const CONTENT_TYPE = { "content-type": "application/problem+json" };

const withHeaders = (status: number, headers: Readonly<Record<string, string>>): ArrayBuffer =>
  statusBlock(status, { ...CONTENT_TYPE, ...headers });

const blocks = new Map<number, ArrayBuffer>();

/** Answers a problem, with an id to find it by. */
export function sendProblem(exchange: Exchange, problem: ProblemDetail): void {
  exchange.requestId ||= newRequestId();
  exchange.send(problemBlock(problem.status), problemBody(problem, exchange.path, exchange.requestId));
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
  exchange.requestId ||= newRequestId();
  const plain = Object.keys(headers).length === 0;
  const block = plain ? problemBlock(problem.status) : withHeaders(problem.status, headers);
  exchange.send(block, problemBody(problem, exchange.path, exchange.requestId), ends);
}

/** The status line and content type of a problem. Kept by status: there are 200 at most. */
function problemBlock(status: number): ArrayBuffer {
  let block = blocks.get(status);
  if (block === undefined) {
    block = withHeaders(status, {});
    blocks.set(status, block);
  }
  return block;
}

/** A problem document (RFC 9457). `instance` is the request's path. */
function problemBody(problem: ProblemDetail, instance: string, requestId: string): string {
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
