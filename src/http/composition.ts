// What stands around and before a route, put together once: of the ingress, of its
// groups, its own. A route without any pays for none.

import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { mounted } from "#runtime/mounted.js";
import { telling } from "./front-faults.js";
import type { IngressPlan } from "./ingress-plan.js";
import { requireNoneInside } from "./inner-guards.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

/** Who probes has no credentials, and must not be limited with the clients. */
const NOTHING: Pick<IngressPlan, "guards" | "layers"> = { guards: [], layers: [] };

/** The route's Axon with its front. Throws ROUTE_INVALID where `without` names no guard, and where a guard stands too far in. */
export function composed(
  route: RouteDefinition,
  plan: Pick<IngressPlan, "guards" | "layers">,
): AxonDefinition {
  requireNoneInside(route.axon, describeRoute(route));
  const { guards, layers } = route.isProbe ? NOTHING : plan;
  const front = { layers: [...layers, ...route.layers], guards: standing(guards, route) };
  return mounted(route.axon, route.onFault === undefined ? front : telling(front));
}

/** A guard can take the place of another of its name: a front goes without those further out, not its own. */
function standing(ingress: readonly AnyGuard[], route: RouteDefinition): readonly AnyGuard[] {
  const known = new Set(ingress.map(({ name }) => name));
  let guards = ingress;
  for (const front of route.fronts) {
    const unknown = front.without.find((name) => !known.has(name));
    if (unknown !== undefined) {
      const meant = typeof unknown === "string" ? `'${unknown}'` : "that was given in the place of its name";
      const names = [...known].map((name) => `'${name}'`).join(", ") || "none";
      throw new FrameworkError(
        "ROUTE_INVALID",
        `${describeRoute(route)} goes without the guard ${meant}, which does not stand before it (there are: ${names})`,
      );
    }
    guards = [...guards.filter(({ name }) => !front.without.includes(name)), ...front.guards];
    for (const { name } of front.guards) known.add(name);
  }
  return guards;
}
