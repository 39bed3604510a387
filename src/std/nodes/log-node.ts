import type { BusView } from "#core/bus/bus.js";
import { Log } from "#core/bus/log.js";
import { type Pass, pass } from "#core/bus/outcome.js";
import { type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import { RequestId } from "#core/facts/ingress-facts.js";
import { invalidOption } from "#core/invalid-option.js";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Present if the run serves a request. */
  readonly requestId: string | undefined;
  /** The selected part of the input. */
  readonly value: unknown;
}

export interface LogOptions<In> {
  /** Default "info". */
  readonly level?: LogLevel;
  /** Selects the logged part of the input. Without it none is logged: inputs may contain secrets. */
  readonly select?: (input: In) => unknown;
  /** Default: the log of the request; outside an ingress, a line of JSON on stderr. */
  readonly write?: (record: LogRecord) => void;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
  /** Called if `select` or `write` throws, which does not affect the run. Default: a process warning. */
  readonly report?: Reporter;
}

/** Writes a record, and passes its input on. */
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
        const write = this.#write ?? ((record: LogRecord) => process.stderr.write(logLine(record)));
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

/** Characters that JSON keeps and terminals or line readers may interpret: C1 controls, line and paragraph separators, direction marks. */
const ACTIVE = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A record as one line. Logged text cannot end the line or move a cursor. */
export function logLine({ time, level, message, requestId, value }: LogRecord): string {
  const record = { time, level, message, request_id: requestId, value };
  const json = JSON.stringify(record).replace(
    ACTIVE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}
