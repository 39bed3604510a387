export {
  Counter,
  Histogram,
  type LabelValues,
  type OwnMetricOptions,
} from "#telemetry/metrics/own-metrics.js";
export type { AlertDispatcherOptions } from "./alerts/alert-dispatcher.js";
export { type AlertDelivery, type AlertHook, AlertRefused } from "./alerts/alert-hook.js";
export type { AlertRule, ErrorRateRule, LatencyBudgetRule } from "./alerts/alert-rules.js";
export { LogAlertHook } from "./alerts/log-alert-hook.js";
export { WebhookAlertHook, type WebhookAlertHookOptions } from "./alerts/webhook-alert-hook.js";
export type { Alert } from "./api/watching.js";
export { attach } from "./attach.js";
export {
  BearerAuth,
  type InspectorRole,
  type InspectorTokens,
  type VerifyToken,
} from "./door/bearer-auth.js";
export { inspectorOf } from "./in-memory.js";
export type { InspectorOptions } from "./settings.js";
