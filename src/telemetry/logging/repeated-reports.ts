// A store that is away fails each request alike: the first failure is a line at once, those of the next
// second are one line with their number.

import type { LogWriter } from "#core/bus/log.js";
import type { Report } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { ReportCode } from "#core/error-codes.js";

const WINDOW_MS = 1000;
/** Maximum number of different failures that are counted at once; beyond it each is a line. */
const MAX_KEYS = 100;

/** Reports of stores whose error says nothing of the one request. */
const OF_STORES: ReadonlySet<ReportCode> = new Set(["CHECKPOINT_LOST", "IDEMPOTENCY_FAILED", "LOCK_FAILED"]);
/** Each tells of something else that is gone. */
const OF_LOSSES: ReadonlySet<ReportCode> = new Set(["AUDIT_UNWRITTEN", "DEAD_LETTER_LOST"]);

/** Writes a failure; `repeated` others like it were not written. */
type Write = (repeated?: number) => void;

interface Repeated {
  count: number;
  last: Write;
}

export class Repetitions {
  readonly #after: Clock["after"];
  readonly #counted = new Map<string, Repeated>();

  constructor(after: Clock["after"] = afterwards) {
    this.#after = after;
  }

  /** Failures of one key are alike. Without a key it is written. */
  take(key: string | undefined, write: Write): void {
    const counted = key === undefined ? undefined : this.#counted.get(key);
    if (counted !== undefined) {
      counted.count += 1;
      counted.last = write;
      return;
    }
    write();
    if (key !== undefined && this.#counted.size < MAX_KEYS) this.#count(key, write);
  }

  #count(key: string, write: Write): void {
    const counted: Repeated = { count: 0, last: write };
    this.#counted.set(key, counted);
    this.#after(WINDOW_MS, () => {
      const { count, last } = counted;
      this.#counted.delete(key);
      if (count === 0) return;
      last(count);
      this.#count(key, last);
    });
  }
}

const isAway = (error: unknown): error is Error =>
  error instanceof Error && (error as { readonly code?: unknown }).code === "STORE_UNAVAILABLE";

/** Undefined if the report is always a line. Different errors, Axons and steps are told apart. */
export function keyOfReport({ code, axon, step, error }: Report): string | undefined {
  if (!(error instanceof Error) || OF_LOSSES.has(code)) return undefined;
  return isAway(error) || OF_STORES.has(code) ? JSON.stringify([code, axon, step, error.message]) : undefined;
}

/** Stands for `count` reports like this one, which was the last of them. */
export function repeatedReport({ code, message, axon, step }: Report, count: number): Report {
  const last = `${count} more within a second, the last of them: ${message}`;
  return { code, message: last, ...(axon && { axon }), ...(step && { step }) };
}

/** A log whose lines of level error with the same text and the error of a store that is away are counted. */
export function counted(writer: LogWriter, repetitions: Repetitions): LogWriter {
  const error = (fields: object | string, ...rest: readonly unknown[]): void => {
    const { err } = fields as { readonly err?: unknown };
    const key = isAway(err) ? JSON.stringify([rest.map(String), err.message]) : undefined;
    const write = writer.error as (fields: object | string, ...rest: readonly unknown[]) => void;
    repetitions.take(key, (repeated) =>
      write.call(writer, repeated === undefined ? fields : { ...(fields as object), repeated }, ...rest),
    );
  };
  return Object.create(writer, { error: { value: error } }) as LogWriter;
}

/** Keeps no process running. */
const afterwards: Clock["after"] = (ms, then) => {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
};
