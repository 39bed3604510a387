import type { FrameworkConfig } from "#config/config.js";
import { logOf } from "./log-source.js";

const told = new WeakSet<FrameworkConfig>();

/** Does nothing where no endpoint is set. Where one is, says once that nothing is sent there yet. */
export function initTelemetry(config: FrameworkConfig): void {
  const { otlpEndpoint } = config.telemetry;
  if (otlpEndpoint === undefined || told.has(config)) return;
  told.add(config);
  logOf(config).reporter({
    code: "TELEMETRY_UNAVAILABLE",
    message: `telemetry.otlp_endpoint is ${otlpEndpoint}, and this release sends no traces: the ids are on each line of a request's log`,
  });
}
