/** Whether a callback answered a promise, of this library or another. */
export const isThenable = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
