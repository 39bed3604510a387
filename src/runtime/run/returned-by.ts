// Outside production: the step that returned a fault, a reply or a problem, for messages.

import { isEmit, isFault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";

const steps = new WeakMap<object, string>();

/** The innermost step counts. */
export function noteReturned(answer: unknown, step: string): void {
  if (answer instanceof Promise) {
    answer.then(
      (settled) => noteReturned(settled, step),
      () => {},
    );
    return;
  }
  const value = isEmit(answer) ? answer.value : answer;
  if (!isFault(value) && !(value instanceof Reply) && !(value instanceof ProblemDetail)) return;
  if (!steps.has(value)) steps.set(value, step);
}

/** Undefined for other values, and in production. */
export const stepOf = (answer: unknown): string | undefined =>
  typeof answer === "object" && answer !== null ? steps.get(answer) : undefined;
