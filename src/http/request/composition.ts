// Puts guards and layers of the ingress, its groups and the route in front of its Axon.

import type { AnyGuard } from "#core/flow/guard.js";
import type { AxonDefinition, StepDefinition } from "#runtime/definition/axon-definition.js";
import { mounted } from "#runtime/definition/mounted.js";
import { telling } from "../plan/front-faults.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import { routeInvalid } from "../refusal/option-checks.js";

/** For probes, which have no credentials and must not be rate-limited. */
const NOTHING: Pick<IngressPlan, "guards" | "layers"> = { guards: [], layers: [] };

/** Throws ROUTE_INVALID for an unknown name in `without`, and for a guard inside of a step. */
export function composed(
  route: RouteDefinition,
  plan: Pick<IngressPlan, "guards" | "layers">,
): AxonDefinition {
  requireNoneInside(route.axon, describeRoute(route));
  const { guards, layers } = route.isProbe ? NOTHING : plan;
  const front = { layers: [...layers, ...route.layers], guards: standing(guards, route) };
  return mounted(route.axon, route.onFault === undefined ? front : telling(front));
}

/** The guards before a route. `without` removes outer guards; guards of the same front may replace them by name. */
function standing(ingress: readonly AnyGuard[], route: RouteDefinition): readonly AnyGuard[] {
  const known = new Set(ingress.map(({ name }) => name));
  let guards = ingress;
  for (const front of route.fronts) {
    const unknown = front.without.find((name) => !known.has(name));
    if (unknown !== undefined) {
      const meant = typeof unknown === "string" ? `'${unknown}'` : "that was given in the place of its name";
      const names = [...known].map((name) => `'${name}'`).join(", ") || "none";
      throw routeInvalid(
        `${describeRoute(route)} goes without the guard ${meant}, which does not stand before it (there are: ${names})`,
      );
    }
    guards = [...guards.filter(({ name }) => !front.without.includes(name)), ...front.guards];
    for (const { name } of front.guards) known.add(name);
  }
  return guards;
}

/** The step and its inner steps. */
export function withInner(step: StepDefinition): readonly StepDefinition[] {
  const { body, branches } = step;
  const axons = [...branches.values(), ...(body.kind === "subgraph" ? [body.axon] : [])];
  const inner = [...axons.flatMap(({ steps }) => steps), ...(body.kind === "parallel" ? body.steps : [])];
  return [step, ...inner.flatMap(withInner)];
}

/** Throws ROUTE_INVALID for guards inside of steps whose declarations would have no effect there, and for such steps. */
function requireNoneInside({ steps }: AxonDefinition, route: string): void {
  for (const step of steps) {
    const other = withInner(step).find(({ transition }) => hasConstantHeaders(transition as AnyGuard));
    if (other !== undefined)
      throw routeInvalid(
        `The step '${other.transition.name}' of ${route} is no guard, and declares headers that are on every answer: only what it writes can be one, responseHeaders: { written: [...] }`,
      );
    const inner = withInner(step).find((each) => each !== step && isForRoutes(each.transition as AnyGuard));
    if (inner === undefined) continue;
    throw routeInvalid(
      `The guard '${inner.transition.name}' of ${route} stands inside the step '${step.transition.name}', where nothing of what it declares would be done: mount it in front, { guards: [...] }`,
    );
  }
}

/** True if the declarations need a route. Written headers work inside of steps too. */
const isForRoutes = ({ kind, responseHeaders, cors, observer, bodyLimit, timeoutMs }: AnyGuard): boolean =>
  kind === "guard" &&
  [responseHeaders?.always, responseHeaders?.overHttps, cors, observer, bodyLimit, timeoutMs].some(
    (declared) => declared !== undefined,
  );

const hasConstantHeaders = ({
  kind,
  responseHeaders,
}: Pick<AnyGuard, "responseHeaders"> & { kind?: string }) =>
  kind !== "guard" && (responseHeaders?.always ?? responseHeaders?.overHttps) !== undefined;
