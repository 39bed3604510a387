import type { FrameworkConfig } from "#config/config.js";
import { type Report, type Reporter, reportAsWarning } from "#core/bus/reporter.js";
import type { ReportCode } from "#core/error-codes.js";
import type { AccessLog } from "#core/ports/answer-observer.js";
import { addSensitiveNames } from "#core/secrets/sensitive-names.js";
import { createLogger, type LineReader, type LogSettings, ofReports, type RootLogger } from "./logger.js";
import { keyOfReport, Repetitions, repeatedReport } from "./repeated-reports.js";
import { stdoutLines } from "./stdout-lines.js";

/** A logger that is created at first use, and the reporter that writes to it. */
export class LogSource {
  readonly #make: () => RootLogger;
  readonly #hidden = new Set<string>();
  readonly #readers = new Set<LineReader>();
  #logger: RootLogger | undefined;

  constructor(make: () => RootLogger) {
    this.#make = make;
  }

  get logger(): RootLogger {
    if (this.#logger === undefined) {
      this.#logger = this.#make();
      this.#logger.hide(this.#hidden);
      for (const read of this.#readers) this.#logger.readers.add(read);
    }
    return this.#logger;
  }

  /** Redacts fields with these names from now on. */
  hide(names: ReadonlySet<string>): void {
    for (const name of names) this.#hidden.add(name);
    this.#logger?.hide(names);
  }

  /** Calls `reader` with each line until the returned function is called. */
  read(reader: LineReader): () => void {
    for (const set of [this.#readers, this.#logger?.readers]) set?.add(reader);
    return () => {
      for (const set of [this.#readers, this.#logger?.readers]) set?.delete(reader);
    };
  }

  /** The access log. */
  get access(): AccessLog {
    return this.logger.access;
  }

  readonly repetitions = new Repetitions();

  /** Writes reports as lines of the module `framework`. */
  readonly reporter: Reporter = (report) =>
    this.repetitions.take(keyOfReport(report), (repeated) =>
      this.#told(repeated === undefined ? report : repeatedReport(report, repeated), repeated),
    );

  #told(report: Report, repeated: number | undefined): void {
    try {
      this.#write(report, repeated);
    } catch (error) {
      // If pino failed to load, the report must not be lost with it.
      reportAsWarning({ ...report, message: `The log failed. It was told: ${report.message}`, error });
    }
  }

  #write(
    { code, message, error, requestId, traceId, spanId, ...fields }: Report,
    repeated: number | undefined,
  ): void {
    const log = ofReports(this.logger.module("framework"));
    const line = {
      code,
      ...fields,
      repeated,
      request_id: requestId || undefined,
      trace_id: traceId,
      span_id: spanId,
      ...(error !== undefined && { err: asError(error) }),
    };
    log[LEVELS.get(code) ?? "error"](line, message);
  }
}

/** Reports below level error: the caller got all it was promised. */
const LEVELS: ReadonlyMap<ReportCode, "info" | "warn" | "fatal"> = new Map([
  ["BODY_LIMIT_REDUCED", "warn"],
  ["CODE_GENERATION_FORBIDDEN", "warn"],
  ["CONFIG_UNREAD", "warn"],
  ["DOCS_UNGUARDED", "warn"],
  ["LOOP_BLOCKED", "warn"],
  ["NATIVE_UNTESTED", "warn"],
  ["PATH_PARAMETER_UNREAD", "warn"],
  ["PERSONAL_DATA_FOUND", "warn"],
  ["PERSONAL_DATA_UNMARKED", "warn"],
  ["PROCESS_EXCEPTION", "fatal"],
  ["REDRIVE_NEEDS_REQUEST", "warn"],
  ["RESPONSE_UNDECLARED", "warn"],
  ["RUN_LOG_LONG", "warn"],
  ["SERVICE_LINKS_IGNORED", "warn"],
  ["STORE_UNSAFE", "warn"],
  ["TELEMETRY_DROPPED", "warn"],
  ["TLS_DOUBTFUL", "warn"],
  ["TLS_EXPIRING", "warn"],
  ["TLS_RELOADED", "info"],
]);

const asError = (thrown: unknown): unknown => (thrown instanceof Error ? thrown : { thrown });

const onStdout = (settings: LogSettings): RootLogger =>
  createLogger(settings, stdoutLines(), process.stdout.hasColors?.() === true);

/** A log line, as parsed from the `json` format. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A log whose lines go only to a function. */
export const capturedLog = (take: (line: LogLine) => void): LogSource =>
  new LogSource(() => {
    const write = (line: string): void => take(JSON.parse(line) as LogLine);
    const output = { write, gather: write, flush: () => {}, onRecovered: () => {} };
    return createLogger({ format: "json", level: "info", moduleLevels: {} }, output);
  });

/** The log of a program without a configuration, with the configuration's defaults. */
export const defaultLog = new LogSource(() =>
  onStdout({ format: process.stdout.isTTY === true ? "pretty" : "json", level: "info", moduleLevels: {} }),
);

const logs = new WeakMap<FrameworkConfig, LogSource>();

/** The single log of a configuration. */
export function logOf(config: FrameworkConfig): LogSource {
  const known = logs.get(config);
  if (known !== undefined) return known;
  addSensitiveNames(config.logging.sensitiveNames);
  const made = new LogSource(() => onStdout(config.logging));
  logs.set(config, made);
  return made;
}
