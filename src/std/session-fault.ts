import { type SessionCode, sessionCodes } from "#core/error-codes.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { type IntoReply, type Reply, respond } from "#core/reply.js";

/** Why something could not be done with a session. Knows its answer over HTTP. */
export class SessionFault<Code extends SessionCode = SessionCode> implements IntoReply {
  readonly code: Code;
  /** What failed, for those who watch: no answer shows it. */
  readonly cause: unknown;

  constructor(code: Code, cause?: unknown) {
    this.code = code;
    this.cause = cause;
  }

  toReply(): Reply<ProblemDetail> {
    const { code } = this;
    const { status, title } = sessionCodes[code];
    const headers: Record<string, string> = status === 503 ? { "retry-after": "1" } : {};
    return respond({ headers, body: new ProblemDetail({ code, status, title }) });
  }
}

/** The store threw, took too long, or answered what none may. */
export type StoreUnavailable = SessionFault<"SESSION_STORE_UNAVAILABLE">;
