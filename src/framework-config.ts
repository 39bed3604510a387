import { FrameworkConfig as LoadedConfig, type LoadOptions } from "#config/config.js";
import { initTelemetry } from "#telemetry/init-telemetry.js";
import { logOf } from "#telemetry/log-source.js";
import type { Logging } from "#telemetry/logger.js";

/** The configuration of a process: read once by `FrameworkConfig.load()`, frozen. */
export class FrameworkConfig extends LoadedConfig {
  /** Throws a ConfigError (CONFIG_INVALID) that has every mistake. */
  static override load(options: LoadOptions = {}): FrameworkConfig {
    return new FrameworkConfig(options);
  }

  /** The process's log on stdout, as the section `logging` has it: the same one at each call. */
  initLogging(): Logging {
    return logOf(this).logger;
  }

  /**
   * Begins tracing where `telemetry.otlp_endpoint` is set. This release does not send
   * traces: it says so in the log (TELEMETRY_UNAVAILABLE). Does nothing otherwise.
   */
  initTelemetry(): void {
    initTelemetry(this);
  }
}
