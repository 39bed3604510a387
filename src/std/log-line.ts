export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Where the run serves a request. */
  readonly requestId: string | undefined;
  /** What of the input was selected. */
  readonly value: unknown;
}

/** What JSON leaves as it is, and a terminal or a reader of lines may act on: C1 controls, line and paragraph separators, marks that turn the direction of text. */
const ACTIVE = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A record as one line. Nothing that was logged can end the line or move a cursor. */
export function logLine({ time, level, message, requestId, value }: LogRecord): string {
  const record = { time, level, message, request_id: requestId, value };
  const json = JSON.stringify(record).replace(
    ACTIVE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${json}\n`;
}

export function writeLogLine(record: LogRecord): void {
  process.stderr.write(logLine(record));
}
