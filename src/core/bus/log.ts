import { namedKey } from "./bus-key.js";

interface LogMethod {
  /** Fields are members of the line; any value is taken as far as it is safe to write. */
  (fields: object, message?: string, ...values: readonly unknown[]): void;
  /** `%s`, `%d` and `%j` stand for the values, as in `util.format`. */
  (message: string, ...values: readonly unknown[]): void;
}

/** Writes log lines. A logger of pino's is one. */
export interface LogWriter {
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
}

/**
 * The log of one request: each line carries its `request_id`, `trace_id` and `span_id`.
 * Made when a step reads it; a request whose steps do not pays nothing.
 */
export const Log = namedKey<LogWriter, "Log">("Log");

/**
 * The same for what should not happen: a request that has nothing to say there pays nothing
 * for it. Its lines have the ids that others have asked for, and else a `request_id` of their
 * own, which the answer's problem document has too.
 */
export const FailureLog = namedKey<LogWriter, "FailureLog">("FailureLog");
