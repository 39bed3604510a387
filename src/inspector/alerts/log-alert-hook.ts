import type { LogWriter } from "#core/log.js";
import type { Alert } from "../api/watching.js";
import type { AlertHook } from "./alert-hook.js";

/** Writes a line for each alert: at `error` where it is critical, else at `warn`, and at `info` when it is over. */
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
