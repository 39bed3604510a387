// A route's own word on what its faults answer. It is the most local one, so it is
// asked before the fault itself.

import { ProblemDetail } from "#core/problem-detail.js";
import { Reply } from "#core/reply.js";
import { pendingOf } from "#runtime/answers.js";
import { describe, type FaultAnswer, internal } from "./fault-problem.js";

/** What `onFault` answers; undefined for a fault that it does not map. */
export type FaultReply = ProblemDetail | Reply<unknown> | undefined;

export type FaultMapper = (error: unknown) => FaultReply;

/** What a route says that a fault answers; undefined where it says nothing. */
export function mappedFault(
  onFault: FaultMapper,
  error: unknown,
  production: boolean,
): FaultAnswer | Reply<unknown> | undefined {
  const failed = (message: string, cause: unknown): FaultAnswer => ({
    problem: internal(message, cause, production),
    report: { code: "FAULT_UNMAPPED", message, error: cause },
  });
  try {
    const answer: unknown = onFault(error);
    if (answer === undefined) return undefined;
    if (answer instanceof ProblemDetail) return { problem: answer, report: undefined };
    if (!(answer instanceof Reply)) {
      // Nobody waits for it, and its rejection must not end the process.
      pendingOf(answer)?.catch(() => {});
      return failed("onFault answered neither a ProblemDetail nor respond(), at once", error);
    }
    if (answer.status >= 300) return answer;
    return failed(`onFault answered ${answer.status}: a fault never answers success`, error);
  } catch (cause) {
    return failed(`onFault threw: ${describe(cause)}`, cause);
  }
}
