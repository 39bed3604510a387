// What is too much, and who is told of it.

import type { LogWriter } from "framework";
import { type AlertHook, type AlertRule, LogAlertHook, WebhookAlertHook } from "framework/inspector";

export const rules: readonly AlertRule[] = [
  { kind: "error_rate", share: 0.05 },
  { kind: "error_rate", circuit: "payments", share: 0.01, minRuns: 50, severity: "critical" },
];

/** The secret is shared with who receives them: `whsec_` and 24 random bytes or more in base64. */
export const hooks = (log: LogWriter, receiver: string, secret: string): readonly AlertHook[] => [
  new LogAlertHook(log),
  new WebhookAlertHook(receiver, { secret, timeoutMs: 5000 }),
];
