import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type IntoProblemDetail, ProblemDetail } from "#core/bus/problem-detail.js";
import { type UpstreamCode, upstreamCodes } from "#core/error-codes.js";

export interface UpstreamErrorOptions extends ErrorOptions {
  /** An unsuccessful status of the service. */
  readonly status?: number;
}

/** A service returned no usable response. The message names the service; clients get 502 or 504 without it. */
export class UpstreamError extends Error implements IntoProblemDetail {
  /** For the `responses` of steps that call a service. */
  static readonly responses: readonly DeclaredResponse[] = declaredOf(
    upstreamCodes,
    "UPSTREAM_FAILED",
    "UPSTREAM_INVALID",
    "UPSTREAM_REFUSED",
    "UPSTREAM_TIMEOUT",
  );
  override readonly name = "UpstreamError";
  readonly code: UpstreamCode;
  readonly status: number | undefined;

  constructor(code: UpstreamCode, message: string, { status, ...options }: UpstreamErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.status = status;
  }

  toProblemDetail(): ProblemDetail {
    return new ProblemDetail({ code: this.code, ...upstreamCodes[this.code] });
  }
}
