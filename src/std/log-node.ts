import type { BusView } from "#core/bus.js";
import { RequestId } from "#core/ingress-facts.js";
import { Log } from "#core/log.js";
import { type Pass, pass } from "#core/outcome.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { invalidOption } from "./invalid-option.js";
import { LOG_LEVELS, type LogLevel, type LogRecord, writeLogLine } from "./log-line.js";

export interface LogOptions<In> {
  /** Default "info". */
  readonly level?: LogLevel;
  /** What of the input is logged. Without it nothing is: inputs hold what must not be in logs. */
  readonly select?: (input: In) => unknown;
  /** Default: the log of the request; outside an ingress, a line of JSON on stderr. */
  readonly write?: (record: LogRecord) => void;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
  /** Told where `select` or `write` throws, which changes nothing for the run. Default: a process warning. */
  readonly report?: Reporter;
}

/** Writes a record, and lets its input pass. */
export class LogNode<In = unknown> {
  readonly name = "LogNode";
  readonly description: string;
  readonly mayRead = [RequestId, Log] as const;
  readonly #level: LogLevel;
  readonly #select: (input: In) => unknown;
  readonly #write: ((record: LogRecord) => void) | undefined;
  readonly #now: () => number;
  readonly #report: Reporter;

  constructor(message: string, options: LogOptions<In> = {}) {
    const { level = "info" } = options;
    if (!LOG_LEVELS.includes(level)) {
      throw invalidOption(
        `LogNode(..., { level: ${JSON.stringify(level)} })`,
        `use one of ${LOG_LEVELS.join(", ")}`,
      );
    }
    this.description = message;
    this.#level = level;
    this.#select = options.select ?? (() => undefined);
    this.#write = options.write;
    this.#now = options.now ?? Date.now;
    this.#report = options.report ?? reportAsWarning;
  }

  run(input: In, bus: BusView<never, never, typeof RequestId | typeof Log>): Pass {
    const message = this.description;
    try {
      const value = this.#select(input);
      const log = this.#write === undefined ? bus.find(Log) : undefined;
      if (log !== undefined) {
        log[this.#level]({ value }, message);
      } else {
        const write = this.#write ?? writeLogLine;
        write({ time: this.#now(), level: this.#level, message, requestId: bus.find(RequestId), value });
      }
    } catch (error) {
      this.#report({
        code: "LOG_FAILED",
        message: `LogNode '${message}' wrote nothing`,
        step: this.name,
        error,
      });
    }
    return pass(input);
  }
}
