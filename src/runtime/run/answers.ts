// Classifies what a step returned or threw. The loop and the step wrappers use it.

import { Control, type Emit, Fault, fault, isEmit, isFault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import { BusValueMissingError } from "#core/errors.js";

/** True if the answer is neither a Control nor anything that could be pending (O1). */
export const isPlain = (answer: unknown): boolean =>
  answer === null || answer === undefined || (answer as { then?: unknown }).then === undefined;

/** True if the answer is pending. The `then` of a Control is not a function (O1). */
export const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  (typeof answer === "object" || typeof answer === "function") &&
  typeof (answer as Partial<PromiseLike<unknown>> | null)?.then === "function";

/** A promise of the answer if it, or the value it emits, is pending; else undefined. */
export function pendingOf(answer: unknown): Promise<unknown> | undefined {
  // A foreign thenable may settle twice, throw, or resolve to another one: resolve() makes it safe.
  if (answer instanceof Promise || isPending(answer)) return Promise.resolve(answer);
  if (!isEmit(answer)) return undefined;
  return pendingOf(answer.value)?.then((value) => emitting(answer, value));
}

/**
 * Returns the answer; `look` gets it settled, and `failed` the cause of a rejection, which it throws. An
 * emitted event is passed on before its value settles.
 */
export function whenSettled(
  answer: unknown,
  look: (settled: unknown) => void,
  failed?: (cause: unknown) => never,
): unknown {
  const seen = (settled: unknown): unknown => {
    look(settled);
    return settled;
  };
  if (!isEmit(answer)) return pendingOf(answer)?.then(seen, failed) ?? seen(answer);
  const value = pendingOf(answer.value);
  return value === undefined ? seen(answer) : emitting(answer, value.then(seen, failed));
}

/** The fault in an answer: the answer itself, or the value it emits. */
export function faultIn(answer: unknown): Fault<unknown> | undefined {
  if (isFault(answer)) return answer;
  return isEmit(answer) ? faultIn(answer.value) : undefined;
}

export function outputOf(answer: unknown): unknown {
  if (!(answer instanceof Control)) return answer;
  if (isEmit(answer)) return outputOf(answer.value);
  return answer instanceof Fault ? undefined : (answer as unknown as { readonly payload: unknown }).payload;
}

export const emitting = (answer: Emit<string, unknown>, value: unknown): unknown =>
  Object.assign(Object.create(Object.getPrototypeOf(answer)), answer, { value });

/** Passes the result of `call`, or its error, to a callback: synchronously if it did not return a promise. */
export function settled<T>(
  call: () => unknown,
  answered: (answer: unknown) => T,
  failed: (cause: unknown) => T,
): MaybePromise<T> {
  let answer: unknown;
  let pending: Promise<unknown> | undefined;
  try {
    answer = call();
    pending = pendingOf(answer);
  } catch (cause) {
    return failed(cause);
  }
  return pending === undefined ? answered(answer) : pending.then(answered, failed);
}

/** Calls a function that must not harm its caller: `failed` gets what it throws or rejects with. */
export const guarded = (call: () => unknown, failed: (error: unknown) => void): void =>
  void settled(call, () => {}, failed);

/** The fault of a run after a step threw. */
export function panicOf(step: string, cause: unknown): Fault<unknown> {
  if (cause instanceof BusValueMissingError) cause.inStep(step);
  return fault(runtimeFault({ code: "TRANSITION_PANIC", step, cause }));
}
