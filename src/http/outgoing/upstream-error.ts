import { type UpstreamCode, upstreamCodes } from "#core/error-codes.js";
import { type IntoProblemDetail, ProblemDetail } from "#core/problem-detail.js";

export interface UpstreamErrorOptions extends ErrorOptions {
  /** The status it answered, where it answered one that is no success. */
  readonly status?: number;
}

/**
 * Why a service gave no answer that can be used. Its message names the service and is
 * for whoever runs the program; over HTTP it answers 502 or 504 and says neither.
 */
export class UpstreamError extends Error implements IntoProblemDetail {
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
