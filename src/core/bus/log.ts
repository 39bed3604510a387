import { namedKey } from "./bus-key.js";

interface LogMethod {
  /** Fields become members of the line. Any value is accepted and made safe to write. */
  (fields: object, message?: string, ...values: readonly unknown[]): void;
  /** Values replace `%s`, `%d` and `%j`, as in `util.format`. */
  (message: string, ...values: readonly unknown[]): void;
}

/** Writes log lines. A pino logger is a LogWriter. */
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
 * Made when a step first reads it: other requests do not pay for it.
 */
export const Log = namedKey<LogWriter, "Log">("Log");

/**
 * A log for failures only: a request without one does not pay for it. Its lines carry the ids
 * that other steps have asked for. If there are none, it makes a `request_id`, which the
 * problem document of the response has too.
 */
export const FailureLog = namedKey<LogWriter, "FailureLog">("FailureLog");
