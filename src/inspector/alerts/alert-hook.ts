import type { MaybePromise } from "#core/outcome-types.js";
import type { Alert } from "../api/watching.js";

export interface AlertDelivery {
  /** The same for each try of one delivery, and for no other. */
  readonly id: string;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
}

/** Where alerts go. What it throws or rejects with is tried again, but for {@link AlertRefused}. */
export interface AlertHook {
  /** For reports: no secret. */
  readonly name: string;
  readonly deliver: (alert: Alert, delivery: AlertDelivery) => MaybePromise<void>;
}

/** Who was told of an alert will not take it, however often it is sent. */
export class AlertRefused extends Error {
  override readonly name = "AlertRefused";
}
