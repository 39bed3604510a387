// Refusals of a step, a guard or a session step, with their HTTP responses.

import { type Fault, fault } from "#core/bus/outcome.js";
import { type IntoProblemDetail, ProblemDetail } from "#core/bus/problem-detail.js";
import { type IntoReply, type Reply, respond } from "#core/bus/reply.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import {
  type GuardCode,
  guardCodes,
  type NodeCode,
  nodeCodes,
  type SessionCode,
  sessionCodes,
} from "#core/error-codes.js";
import type { HeaderFields } from "#core/facts/response-facts.js";

interface NodeParticulars {
  readonly detail?: string;
  /** The invalid parts of the input. Never contains values. */
  readonly errors?: readonly SchemaError[];
}

/** Refusal of an input by a standard node, with its HTTP response. */
export class NodeFault<Code extends NodeCode> implements IntoProblemDetail {
  readonly code: Code;
  readonly detail: string | undefined;
  readonly errors: readonly SchemaError[] | undefined;

  constructor(code: Code, { detail, errors }: NodeParticulars) {
    this.code = code;
    this.detail = detail;
    this.errors = errors;
  }

  toProblemDetail(): ProblemDetail {
    const { code, detail, errors } = this;
    return new ProblemDetail({
      code,
      ...nodeCodes[code],
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
  }
}

export const nodeFault = <Code extends NodeCode>(
  code: Code,
  particulars: NodeParticulars = {},
): Fault<NodeFault<Code>> => fault(new NodeFault(code, particulars));

interface GuardParticulars {
  /** Sent to the client: it must not contain values of the request. */
  readonly detail?: string;
  readonly headers?: HeaderFields;
  /** Further members of the problem document. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** The failure, for operators: no response contains it. */
  readonly cause?: unknown;
}

/** Refusal of a request by a guard, with its HTTP response. */
export class GuardFault<Code extends GuardCode> implements IntoReply {
  readonly code: Code;
  readonly detail: string | undefined;
  readonly headers: HeaderFields;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly cause: unknown;

  constructor(code: Code, { detail, headers = {}, extensions = {}, cause }: GuardParticulars = {}) {
    this.code = code;
    this.detail = detail;
    this.headers = headers;
    this.extensions = extensions;
    this.cause = cause;
  }

  toReply(): Reply<ProblemDetail> {
    const { code, detail, headers, extensions } = this;
    const shown = detail === undefined ? {} : { detail };
    return respond({ headers, body: new ProblemDetail({ code, ...guardCodes[code], ...shown, extensions }) });
  }
}

export const guardFault = <Code extends GuardCode>(
  code: Code,
  particulars: GuardParticulars = {},
): Fault<GuardFault<Code>> => fault(new GuardFault(code, particulars));

/** A session step failed. Has its HTTP response. */
export class SessionFault<Code extends SessionCode = SessionCode> implements IntoReply {
  readonly code: Code;
  /** The failure, for operators: no response contains it. */
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

/** The store threw, timed out, or returned a value outside its contract. */
export type StoreUnavailable = SessionFault<"SESSION_STORE_UNAVAILABLE">;
