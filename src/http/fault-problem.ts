// What a Fault answers. An application's error says it itself, as a ProblemDetail
// or through IntoProblemDetail; a run's own faults are in the table of codes; all
// else is 500, masked in production and reported.

import { faultCodes } from "#core/error-codes.js";
import { BusValueMissingError } from "#core/errors.js";
import { isIntoProblemDetail, ProblemDetail } from "#core/problem-detail.js";
import type { Report } from "#core/reporter.js";
import { isRuntimeFault, type RuntimeFault } from "#core/runtime-fault.js";
import { Refusal } from "./refusal.js";

export interface FaultAnswer {
  readonly problem: ProblemDetail;
  /** What the Reporter is told; undefined where the fault is the caller's own doing. */
  readonly report: Pick<Report, "code" | "message" | "step" | "error"> | undefined;
}

export function faultAnswer(error: unknown, production: boolean): FaultAnswer {
  if (isRuntimeFault(error)) return runtimeAnswer(error, production);
  if (error instanceof ProblemDetail) return { problem: error, report: undefined };
  if (isIntoProblemDetail(error)) return convertedAnswer(error, production);
  const message = `A fault says no status: ${describe(error)}`;
  return {
    problem: internal(message, undefined, production),
    report: { code: "FAULT_UNMAPPED", message, error },
  };
}

/** The answer to what went wrong in the framework or in a serialiser. */
export const internal = (detail: string, error: unknown, production: boolean): ProblemDetail =>
  production
    ? MASKED
    : new ProblemDetail({
        status: 500,
        code: "INTERNAL_ERROR",
        title: MASKED.title,
        detail,
        ...(error instanceof Error &&
          error.stack !== undefined && { extensions: { stack: error.stack.split("\n") } }),
      });

const MASKED = new Refusal("INTERNAL_ERROR").problem;

function runtimeAnswer(error: RuntimeFault, production: boolean): FaultAnswer {
  switch (error.code) {
    case "INPUT_INVALID":
      return { problem: new Refusal("INPUT_INVALID", { errors: error.errors }).problem, report: undefined };
    case "RUN_ABORTED":
    case "STEP_TIMEOUT":
      return {
        problem: new ProblemDetail({ code: error.code, ...faultCodes[error.code] }),
        report: undefined,
      };
    case "TRANSITION_PANIC":
      return panicAnswer(error.step, error.cause, production);
    default: {
      const message = `${faultCodes[error.code].title}: ${JSON.stringify({ ...error })}`;
      return {
        problem: internal(message, undefined, production),
        report: { code: "STEP_PANIC", message, error },
      };
    }
  }
}

function panicAnswer(step: string, cause: unknown, production: boolean): FaultAnswer {
  if (cause instanceof BusValueMissingError && /^(?:header|cookie):/.test(cause.key)) {
    const detail = `The request needs the ${cause.key.replace(":", " '")}'`;
    return { problem: new Refusal("HEADER_MISSING", { detail }).problem, report: undefined };
  }
  const message = `Step '${step}' threw: ${describe(cause)}`;
  return {
    problem: internal(message, cause, production),
    report: { code: "STEP_PANIC", message, step, error: cause },
  };
}

function convertedAnswer(error: { toProblemDetail(): ProblemDetail }, production: boolean): FaultAnswer {
  const unmapped = (message: string, cause: unknown): FaultAnswer => ({
    problem: internal(message, cause, production),
    report: { code: "FAULT_UNMAPPED", message, error: cause },
  });
  try {
    const problem: unknown = error.toProblemDetail();
    if (problem instanceof ProblemDetail) return { problem, report: undefined };
    // Only the class has checked the status, which goes into the response as it is.
    return unmapped("toProblemDetail() answered no ProblemDetail", error);
  } catch (cause) {
    return unmapped(`toProblemDetail() threw: ${describe(cause)}`, cause);
  }
}

function describe(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}
