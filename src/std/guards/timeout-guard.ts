import { pass } from "#core/bus/outcome.js";
import { type Guard, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";

/**
 * Limits the time of the routes behind it: then the run is aborted and the response is 504. The
 * shortest time of all guards of a route and of the route is used, else the ingress's (30 s). It
 * never raises a limit.
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
