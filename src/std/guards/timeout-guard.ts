import { pass } from "#core/bus/outcome.js";
import { type Guard, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";

/**
 * Bounds how long what it stands before may take: then it is answered 504 and aborted.
 * The shortest time of all that stand before a route counts, the route's own among them, or
 * else the ingress's (30 s): it lowers that, and never raises it.
 */
export class TimeoutGuard implements Guard<never> {
  readonly name = "TimeoutGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly timeoutMs: number;

  /** `ms`: up to an hour, exact to half a second. Throws CONFIG_INVALID. */
  constructor(ms: number) {
    const remedy = `ms must be a whole number of milliseconds from 1 to ${MAX_ROUTE_TIMEOUT_MS}`;
    if (!Number.isSafeInteger(ms) || ms < 1 || ms > MAX_ROUTE_TIMEOUT_MS)
      throw invalidOption(`TimeoutGuard(${String(ms)})`, remedy);
    this.description = `At most ${ms} ms`;
    this.timeoutMs = ms;
  }

  readonly run = pass;
}
