import type { MaybePromise } from "#core/bus/outcome-types.js";
import { isThenable } from "#core/thenable.js";
import { SessionFault, type StoreUnavailable } from "../faults.js";
import { inTime } from "../in-time.js";
import { isRecord } from "./session-record.js";

/** For each call of a store: checks its result. */
export const ANSWERS = {
  create: (answer: unknown) => answer === "created" || answer === "full",
  touch: (answer: unknown) => typeof answer === "boolean",
  update: (answer: unknown) => answer === "updated" || answer === "changed" || answer === "gone",
  rotate: (answer: unknown) => answer === undefined || isRecord(answer),
  count: (answer: unknown) => Number.isSafeInteger(answer) && (answer as number) >= 0,
} as const;

/** Calls `next` with the value, synchronously if the value is no promise. */
export const andThen = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value));

/** Calls a store. A thrown error, a result that `isAnswer` refuses, and a time-out after `ms` are faults. */
export function asked<T>(
  call: () => MaybePromise<T>,
  isAnswer: (answer: unknown) => boolean,
  ms: number,
): MaybePromise<T | StoreUnavailable> {
  const checked = (answer: unknown): T | StoreUnavailable => {
    try {
      if (isAnswer(answer)) return answer as T;
      return unavailable(new TypeError("The store answered what none may"));
    } catch (cause) {
      return unavailable(cause);
    }
  };
  try {
    const answer: unknown = call();
    return isThenable(answer) ? inTime(answer, ms).then(checked, unavailable) : checked(answer);
  } catch (cause) {
    return unavailable(cause);
  }
}

const unavailable = (cause: unknown): StoreUnavailable =>
  new SessionFault("SESSION_STORE_UNAVAILABLE", cause);
