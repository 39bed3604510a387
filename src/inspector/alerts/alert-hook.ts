import type { LogWriter } from "#core/bus/log.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { Alert } from "../api/watching.js";

export interface AlertDelivery {
  /** The same for each try of one delivery, and for no other. */
  readonly id: string;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Receives alerts. A delivery that throws or rejects is tried again, except for {@link AlertRefused}. */
export interface AlertHook {
  /** For reports: no secret. */
  readonly name: string;
  readonly deliver: (alert: Alert, delivery: AlertDelivery) => MaybePromise<void>;
}

/** The receiver refuses the alert for good: it is not sent again. */
export class AlertRefused extends Error {
  override readonly name = "AlertRefused";
}

/** Writes a line for each alert: at `error` if it is critical, else at `warn`, and at `info` when it is over. */
export class LogAlertHook implements AlertHook {
  readonly name = "log";
  readonly #log: LogWriter;

  constructor(log: LogWriter) {
    this.#log = log;
  }

  deliver({ key, kind, state, severity, circuit, node, title, cause, run_ids }: Alert): void {
    const fields = { alert: key, kind, state, severity, circuit, node, cause, run_ids };
    const level = state === "resolved" ? "info" : severity === "critical" ? "error" : "warn";
    // As a value: a title may hold a per cent sign.
    this.#log[level](fields, "%s", state === "resolved" ? `Over: ${title}` : title);
  }
}
