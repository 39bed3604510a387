// Axons that take the store of where they are mounted: here it is put in its place.

import { FrameworkError } from "#core/errors.js";
import type { StoreSet } from "#core/store-set.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { takesMountedRuns, withRuns } from "#runtime/mounted-runs.js";
import type { IngressPlan } from "./ingress-plan.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

/** The plan with its stores in its Axons. Throws STORE_MISSING where an Axon needs them and it has none. */
export function withStores(plan: IngressPlan, stores: StoreSet | undefined): IngressPlan {
  // An Axon on two routes stays one.
  const made = new Map<AxonDefinition, AxonDefinition>();
  const stored = (axon: AxonDefinition, route: RouteDefinition): AxonDefinition => {
    if (!takesMountedRuns(axon)) return axon;
    if (stores === undefined)
      throw new FrameworkError(
        "STORE_MISSING",
        `${describeRoute(route)} keeps its runs in the store of its ingress, which has none: add .stores(openStores(...))`,
      );
    const known = made.get(axon) ?? withRuns(axon, stores.runs);
    made.set(axon, known);
    return known;
  };
  const routed = (route: RouteDefinition): RouteDefinition => {
    const { axon, webSocket } = route;
    return {
      ...route,
      axon: stored(axon, route),
      webSocket: webSocket && {
        ...webSocket,
        message: stored(webSocket.message, route),
        close: webSocket.close && stored(webSocket.close, route),
      },
    };
  };
  const { routes, fallback } = plan;
  return { ...plan, stores, routes: routes.map(routed), fallback: fallback && routed(fallback) };
}
