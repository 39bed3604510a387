import type { FrameworkConfig } from "#config/config.js";
import { logOf } from "./log-source.js";
import { Tracing, type TracingOptions } from "./tracing/tracing.js";

const made = new WeakMap<FrameworkConfig, Tracing>();

/**
 * The traces of a configuration: the same at each call; undefined where no endpoint is set, or
 * they are disabled. Throws TELEMETRY_UNAVAILABLE and CONFIG_INVALID.
 */
export function initTelemetry(config: FrameworkConfig, options?: TracingOptions): Tracing | undefined {
  const { enabled, otlpEndpoint } = config.telemetry;
  if (!enabled || otlpEndpoint === undefined) return undefined;
  const known = made.get(config);
  if (known !== undefined) return known;
  const tracing = new Tracing(config, otlpEndpoint.reveal(), logOf(config).reporter, options);
  made.set(config, tracing);
  return tracing;
}
