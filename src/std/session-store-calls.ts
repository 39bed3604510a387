import type { MaybePromise } from "#core/outcome-types.js";
import { inTime } from "./in-time.js";
import { SessionFault, type StoreUnavailable } from "./session-fault.js";

/** What comes after a value that is there, or will be: at once where it is there. */
export const andThen = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value));

/**
 * Asks a store. What it throws, what it answers that `isAnswer` is not true of, and what comes
 * later than `ms` is a fault; what it comes to then is nobody's.
 */
export function asked<T>(
  call: () => MaybePromise<T>,
  isAnswer: (answer: unknown) => boolean,
  ms: number,
): MaybePromise<T | StoreUnavailable> {
  const checked = (answer: unknown): T | StoreUnavailable => {
    try {
      return isAnswer(answer)
        ? (answer as T)
        : unavailable(new TypeError("The store answered what none may"));
    } catch (cause) {
      return unavailable(cause);
    }
  };
  try {
    const answer: unknown = call();
    return isPending(answer) ? inTime(answer, ms).then(checked, unavailable) : checked(answer);
  } catch (cause) {
    return unavailable(cause);
  }
}

const unavailable = (cause: unknown): StoreUnavailable =>
  new SessionFault("SESSION_STORE_UNAVAILABLE", cause);

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
