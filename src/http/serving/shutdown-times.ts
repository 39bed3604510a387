import { isLoopback } from "#core/net/loopback.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { configInvalid } from "../refusal/option-checks.js";

const DEFAULT_DELAY_MS = 5000;

/** Time after which the engine has closed idle connections. */
const IDLE_IN_PRODUCTION_MS = 12_000;

export type ShutdownSettings = Pick<
  IngressPlan,
  "production" | "address" | "shutdownTimeoutMs" | "shutdownDelayMs" | "drainIdleMs"
>;

export interface ShutdownTimes {
  /** Time of serving while not ready, for load balancers. */
  readonly delayMs: number;
  /** Wait for idle connections after the last response. */
  readonly idleMs: number;
  /** Limit of the whole shutdown, from the signal on. */
  readonly limitMs: number;
}

/** Throws CONFIG_INVALID for a delay that leaves no time to respond. */
export function shutdownTimes(settings: ShutdownSettings): ShutdownTimes {
  const { production, address, shutdownTimeoutMs, shutdownDelayMs, drainIdleMs } = settings;
  if (shutdownDelayMs !== undefined && shutdownDelayMs > 0 && shutdownDelayMs >= shutdownTimeoutMs) {
    throw configInvalid(
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
