import { FrameworkError } from "#core/errors.js";
import { isLoopback } from "#core/loopback.js";
import type { Address } from "./address.js";

const DEFAULT_DELAY_MS = 5000;

/** The engine has ended every idle connection by then. */
const IDLE_IN_PRODUCTION_MS = 12_000;

/** What of stopping can be set, in milliseconds. */
export interface ShutdownSettings {
  readonly production: boolean;
  readonly address: Address;
  readonly shutdownTimeoutMs: number;
  /** Undefined: by the address. */
  readonly shutdownDelayMs: number | undefined;
  /** Undefined: by the mode. */
  readonly drainIdleMs: number | undefined;
}

export interface ShutdownTimes {
  /** How long service goes on, not ready any more: a balancer needs it to look elsewhere. */
  readonly delayMs: number;
  /** How long connections without a request are waited for, once no answer is left. */
  readonly idleMs: number;
  /** All of it, from the signal on. */
  readonly limitMs: number;
}

/** Throws CONFIG_INVALID where a delay that was set leaves no time to answer. */
export function shutdownTimes(settings: ShutdownSettings): ShutdownTimes {
  const { production, address, shutdownTimeoutMs, shutdownDelayMs, drainIdleMs } = settings;
  if (shutdownDelayMs !== undefined && shutdownDelayMs > 0 && shutdownDelayMs >= shutdownTimeoutMs) {
    throw new FrameworkError(
      "CONFIG_INVALID",
      `A shutdown delay of ${shutdownDelayMs} ms leaves nothing of the ${shutdownTimeoutMs} ms that stopping may take: shorten the delay, or give gracefulShutdown() more`,
    );
  }
  const seenByOthers = address.kind === "unix" || !isLoopback(address.host);
  return {
    delayMs: shutdownDelayMs ?? (seenByOthers ? Math.min(DEFAULT_DELAY_MS, shutdownTimeoutMs / 2) : 0),
    idleMs: drainIdleMs ?? (production ? IDLE_IN_PRODUCTION_MS : 0),
    limitMs: shutdownTimeoutMs,
  };
}
