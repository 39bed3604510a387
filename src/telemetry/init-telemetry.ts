import type { FrameworkConfig } from "#config/config.js";
import { keepContinuedBy } from "#core/timeline/continued-trace.js";
import { logOf } from "./logging/log-source.js";
import { ContinuedRun } from "./tracing/continued-run.js";
import { targetOf } from "./tracing/endpoint.js";
import { Tracing, type TracingOptions } from "./tracing/tracing.js";

const made = new WeakMap<FrameworkConfig, Tracing>();

/**
 * The tracing of a configuration, created at the first call. Undefined if no endpoint is set, or if
 * tracing is disabled. Throws TELEMETRY_UNAVAILABLE and CONFIG_INVALID.
 */
export function initTelemetry(config: FrameworkConfig, options?: TracingOptions): Tracing | undefined {
  const target = targetOf(config);
  if (!config.telemetry.enabled || target === undefined) return undefined;
  const known = made.get(config);
  if (known !== undefined) return known;
  const tracing = new Tracing(config, target, logOf(config).reporter, options);
  keepContinuedBy((name, from) => ContinuedRun.of(tracing, name, from));
  made.set(config, tracing);
  return tracing;
}
