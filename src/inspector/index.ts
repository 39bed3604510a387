export {
  Counter,
  Histogram,
  type LabelValues,
  type OwnMetricOptions,
} from "#telemetry/metrics/own-metrics.js";
export { type AlertDelivery, type AlertHook, AlertRefused, LogAlertHook } from "./alerts/alert-hook.js";
export type { AlertRule, ErrorRateRule } from "./alerts/error-rates.js";
export { WebhookAlertHook, type WebhookAlertHookOptions } from "./alerts/webhook-alert-hook.js";
export type { FeedEvent, FeedMessage, FeedRequest } from "./api/events.js";
export type { Alert } from "./api/watching.js";
export { attach } from "./attach.js";
export {
  BearerAuth,
  type InspectorRole,
  type InspectorTokens,
  type NamedRole,
  type VerifyToken,
} from "./door/bearer-auth.js";
export { inspectorOf } from "./in-memory.js";
export type { InspectorAuditOptions, InspectorOptions } from "./settings.js";
