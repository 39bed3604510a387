import type { Alert } from "../api/watching.js";

/** What is too much now. */
export interface Cause
  extends Pick<Alert, "key" | "kind" | "severity" | "circuit" | "node" | "title" | "cause"> {
  /** Default: now. */
  readonly last_at?: number;
  /** Runs that show it, the newest first. */
  readonly run_ids: readonly string[];
}
