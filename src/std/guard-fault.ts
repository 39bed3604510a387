import { type GuardCode, guardCodes } from "#core/error-codes.js";
import { type Fault, fault } from "#core/outcome.js";
import { ProblemDetail } from "#core/problem-detail.js";
import { type IntoReply, type Reply, respond } from "#core/reply.js";
import type { HeaderFields } from "#core/response-facts.js";

interface Particulars {
  /** The client reads it: no value of the request in it. */
  readonly detail?: string;
  readonly headers?: HeaderFields;
  /** Further members of the problem document. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** What failed, for those who watch: no answer shows it. */
  readonly cause?: unknown;
}

/** Why a guard refused a request. Knows its answer over HTTP. */
export class GuardFault<Code extends GuardCode> implements IntoReply {
  readonly code: Code;
  readonly detail: string | undefined;
  readonly headers: HeaderFields;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly cause: unknown;

  constructor(code: Code, { detail, headers = {}, extensions = {}, cause }: Particulars = {}) {
    this.code = code;
    this.detail = detail;
    this.headers = headers;
    this.extensions = extensions;
    this.cause = cause;
  }

  toReply(): Reply<ProblemDetail> {
    const { code, detail, headers, extensions } = this;
    const body = new ProblemDetail({
      code,
      ...guardCodes[code],
      ...(detail !== undefined && { detail }),
      extensions,
    });
    return respond({ headers, body });
  }
}

export const guardFault = <Code extends GuardCode>(
  code: Code,
  particulars: Particulars = {},
): Fault<GuardFault<Code>> => fault(new GuardFault(code, particulars));
