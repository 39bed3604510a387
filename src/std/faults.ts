// Why a step, a guard or a session step refused. Each knows its answer over HTTP.

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
  /** Where the input is wrong. Never holds the value. */
  readonly errors?: readonly SchemaError[];
}

/** Why a standard node refused its input. Knows its answer over HTTP. */
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
  /** The client reads it: no value of the request in it. */
  readonly detail?: string;
  readonly headers?: HeaderFields;
  /** Further members of the problem document. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** What failed, for operators: no answer shows it. */
  readonly cause?: unknown;
}

/** Why a guard refused a request. Knows its answer over HTTP. */
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

/** Why something could not be done with a session. Knows its answer over HTTP. */
export class SessionFault<Code extends SessionCode = SessionCode> implements IntoReply {
  readonly code: Code;
  /** What failed, for operators: no answer shows it. */
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

/** The store threw, took too long, or answered outside its contract. */
export type StoreUnavailable = SessionFault<"SESSION_STORE_UNAVAILABLE">;
