/** Where in the application something was declared. Costs a capture when made; the text is made when asked for. */
export interface CallSite {
  /** The first stack frame, or undefined where the engine has none. */
  readonly frame: () => string | undefined;
}

/** The place that called `caller`. */
export function callSite(caller: (...args: never[]) => unknown): CallSite {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, caller);
  Error.stackTraceLimit = limit;
  // Reading `stack` formats it, so that is left to who wants it.
  return { frame: () => holder.stack?.split("\n")[1]?.trim() };
}
