/** True if a callback returned a promise, of any library. */
export const isThenable = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
