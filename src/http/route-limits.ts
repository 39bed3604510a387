import { type AnyGuard, MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/guard.js";
import type { IngressPlan } from "./ingress-plan.js";
import { requireInteger } from "./required-integer.js";
import type { RouteDefinition } from "./route-definition.js";

export interface RouteLimits {
  /** Bytes. */
  readonly bodyLimit: number;
  readonly timeoutMs: number;
}

/** A route's own limits, else the ingress's; guards before it only lower them. Throws CONFIG_INVALID. */
export function limitsOf(
  route: Pick<RouteDefinition, "bodyLimit" | "timeoutMs">,
  guards: readonly AnyGuard[],
  plan: Pick<IngressPlan, "bodyLimit" | "routeTimeoutMs">,
): RouteLimits {
  let { bodyLimit = plan.bodyLimit, timeoutMs = plan.routeTimeoutMs } = route;
  for (const guard of guards) {
    // What is no number would compare with none, and limit nothing.
    const of = (option: "bodyLimit" | "timeoutMs", least: number, most: number): number =>
      requireInteger(`${option} of guard '${guard.name}'`, guard[option] ?? most, least, most);
    bodyLimit = Math.min(bodyLimit, of("bodyLimit", 0, MAX_BODY_LIMIT));
    timeoutMs = Math.min(timeoutMs, of("timeoutMs", 1, MAX_ROUTE_TIMEOUT_MS));
  }
  return { bodyLimit, timeoutMs };
}
