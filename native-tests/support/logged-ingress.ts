import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { LogSource } from "#telemetry/logging/log-source.js";
import type { LogSettings } from "#telemetry/logging/logger.js";
import { keptLogger } from "./logged-lines.js";

/** Has the ingress write to a log that is kept, reports too. */
export function keepLog(ingress: { plan: IngressPlan }, settings: Partial<LogSettings> = {}) {
  const kept = keptLogger(settings);
  const source = new LogSource(() => kept.log);
  ingress.plan = { ...ingress.plan, log: source, reporter: source.reporter };
  /** The lines of the access log, without level, time and module. */
  const answered = () =>
    kept
      .lines()
      .filter(({ module }) => module === "http.access")
      .map(({ level, time, module, ...line }) => line as Record<string, any>);
  return { ...kept, answered };
}
