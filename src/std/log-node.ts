import type { BusView } from "#core/bus.js";
import { RequestId } from "#core/ingress-facts.js";
import { type Pass, pass } from "#core/outcome.js";
import { type Reporter, reportAsWarning } from "#core/reporter.js";
import { invalidOption } from "./invalid-option.js";
import { writeLogLine } from "./log-line.js";

const LEVELS = ["trace", "debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LEVELS)[number];

export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Where the run serves a request. */
  readonly requestId: string | undefined;
  /** What `select` answered. */
  readonly value: unknown;
}

export interface LogOptions<In> {
  /** Default "info". */
  readonly level?: LogLevel;
  /** What of the input is logged. Without it nothing is: inputs hold what must not be in logs. */
  readonly select?: (input: In) => unknown;
  /** Default: a line of JSON on stderr. */
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
  readonly mayRead = [RequestId] as const;
  readonly #level: LogLevel;
  readonly #options: LogOptions<In>;

  constructor(message: string, options: LogOptions<In> = {}) {
    const level = options.level ?? "info";
    if (!LEVELS.includes(level)) {
      throw invalidOption(
        `LogNode(..., { level: ${JSON.stringify(level)} })`,
        `use one of ${LEVELS.join(", ")}`,
      );
    }
    this.description = message;
    this.#level = level;
    this.#options = options;
  }

  run(input: In, bus: BusView<never, never, typeof RequestId>): Pass {
    const { select, write = writeLogLine, now = Date.now, report = reportAsWarning } = this.#options;
    try {
      write({
        time: now(),
        level: this.#level,
        message: this.description,
        requestId: bus.find(RequestId),
        value: select?.(input),
      });
    } catch (error) {
      report({
        code: "LOG_FAILED",
        message: `LogNode '${this.description}' wrote nothing`,
        step: this.name,
        error,
      });
    }
    return pass(input);
  }
}
