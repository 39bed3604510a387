// A store that is away fails each request alike: the first report is a line at once, those of the next
// second are one line with their number.

import type { Report } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";
import type { ReportCode } from "#core/error-codes.js";

const WINDOW_MS = 1000;
/** Maximum number of different reports that are counted at once; beyond it each is a line. */
const MAX_KEYS = 100;

/** Reports of stores whose error says nothing of the one request. */
const OF_STORES: ReadonlySet<ReportCode> = new Set(["CHECKPOINT_LOST", "IDEMPOTENCY_FAILED", "LOCK_FAILED"]);
/** Each tells of something else that is gone. */
const OF_LOSSES: ReadonlySet<ReportCode> = new Set(["AUDIT_UNWRITTEN", "DEAD_LETTER_LOST"]);

interface Repeated {
  count: number;
  last: Report;
}

/** Writes a report; `repeated` others like it were not written. */
export type WriteReport = (report: Report, repeated?: number) => void;

export class RepeatedReports {
  readonly #write: WriteReport;
  readonly #after: Clock["after"];
  readonly #counted = new Map<string, Repeated>();

  constructor(write: WriteReport, after: Clock["after"] = afterwards) {
    this.#write = write;
    this.#after = after;
  }

  take(report: Report): void {
    const key = keyOf(report);
    const counted = key === undefined ? undefined : this.#counted.get(key);
    if (counted !== undefined) {
      counted.count += 1;
      counted.last = report;
      return;
    }
    this.#write(report);
    if (key !== undefined && this.#counted.size < MAX_KEYS) this.#count(key, report);
  }

  #count(key: string, report: Report): void {
    this.#counted.set(key, { count: 0, last: report });
    this.#after(WINDOW_MS, () => {
      const { count, last } = this.#counted.get(key) as Repeated;
      this.#counted.delete(key);
      if (count === 0) return;
      const { code, axon, step } = last;
      const message = `${count} more within a second, the last of them: ${last.message}`;
      this.#write({ code, message, ...(axon && { axon }), ...(step && { step }) }, count);
      this.#count(key, last);
    });
  }
}

/** Undefined if the report is always a line. Different errors, Axons and steps are told apart. */
function keyOf({ code, axon, step, error }: Report): string | undefined {
  if (!(error instanceof Error) || OF_LOSSES.has(code)) return undefined;
  const isAway = (error as { readonly code?: unknown }).code === "STORE_UNAVAILABLE";
  return isAway || OF_STORES.has(code) ? JSON.stringify([code, axon, step, error.message]) : undefined;
}

/** Keeps no process running. */
const afterwards: Clock["after"] = (ms, then) => {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
};
