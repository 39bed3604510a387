import { ProblemDetail } from "#core/problem-detail.js";
import { Reply } from "#core/reply.js";
import { isRuntimeFault } from "#core/runtime-fault.js";
import { faultAnswer } from "#http/fault-problem.js";
import { Refusal } from "#http/refusal.js";
import { withoutCredentials } from "#schema/credential-text.js";
import type { TraceRow } from "../api/traces.js";

export type FaultReason = Omit<NonNullable<TraceRow["fault"]>, "node" | "label">;

const MAX_NAME = 200;
const MAX_TEXT = 1000;
/** Of a value that is against its schema, the first. */
const MAX_ERRORS = 5;

/** Why a run failed, in words: what its answer says, and of what the answer hides the message. */
export function faultReason(error: unknown): FaultReason {
  // What the reader of the input refuses is a fault of the run like others.
  const answer = error instanceof Refusal ? error : faultAnswer(error, false);
  const problem = answer instanceof Reply ? answer.body : answer.problem;
  if (!(problem instanceof ProblemDetail)) {
    const { status } = answer as Reply<unknown>;
    return { code: null, status, title: `Answered with status ${status}`, detail: null };
  }
  const { code, status, title } = problem;
  return { code: named(code), status, title: text(title), detail: detailOf(problem) };
}

export const isAbort = (error: unknown): boolean => isRuntimeFault(error) && error.code === "RUN_ABORTED";

function detailOf({ detail, errors = [] }: ProblemDetail): string | null {
  const named = errors
    .slice(0, MAX_ERRORS)
    .map(({ pointer, expected }) => `${pointer === "" ? "the value" : pointer}: ${expected}`);
  const more = errors.length > MAX_ERRORS ? [`${errors.length - MAX_ERRORS} more`] : [];
  const all = [...(detail === undefined ? [] : [detail]), ...named, ...more];
  return all.length === 0 ? null : text(all.join("; "));
}

const text = (given: unknown): string => withoutCredentials(String(given).slice(0, MAX_TEXT), true);
const named = (code: unknown): string | null =>
  typeof code === "string" && code !== "" ? code.slice(0, MAX_NAME) : null;
