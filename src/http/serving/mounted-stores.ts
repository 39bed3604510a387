// Puts the ingress's stores and audit log into Axons that use those of their mount point.

import { FrameworkError } from "#core/errors.js";
import { Rooms } from "#core/facts/web-socket.js";
import type { RoomBus } from "#core/ports/room-bus.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { keysOf } from "#runtime/check/used-keys.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { mountedAs, takesMountedRuns, withOld, withRuns } from "#runtime/definition/mounted-runs.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { describeRoute, type RouteDefinition } from "../plan/route-definition.js";
import { axonsOfPlan } from "../request/shared-bus.js";

/** The plan with its stores and its audit log in its Axons. Throws STORE_MISSING if an Axon needs stores and the plan has none. */
export function withStores(plan: IngressPlan, stores: StoreSet | undefined): IngressPlan {
  // An Axon on two routes stays one object.
  const made = new Map<AxonDefinition, AxonDefinition>();
  const sink = plan.audit ?? stores?.audit;
  const stored = (axon: AxonDefinition, route: RouteDefinition): AxonDefinition => {
    const takesRuns = takesMountedRuns(axon);
    if (takesRuns && stores === undefined)
      throw new FrameworkError(
        "STORE_MISSING",
        `${describeRoute(route)} keeps its runs in the store of its ingress, which has none: add .stores(openStores(...))`,
      );
    const takesAudit = axon.audit === undefined && sink !== undefined;
    if (!takesRuns && !takesAudit) return axon;
    const known =
      made.get(axon) ??
      mountedAs(axon, {
        ...withOld(stores === undefined ? axon : withRuns(axon, stores.runs), (old) => stored(old, route)),
        ...(takesAudit && { audit: { sink, onFailure: "log" as const } }),
      });
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
  return { ...plan, stores, audit: sink, routes: routes.map(routed), fallback: fallback && routed(fallback) };
}

/** Its own bus, else a member of the rooms of its stores, which has connections: only where an Axon uses rooms. */
export function roomsOf(plan: IngressPlan): RoomBus | undefined {
  const { rooms, stores, routes } = plan;
  if (rooms !== undefined || stores?.rooms === undefined) return rooms;
  const isUsed =
    routes.some(({ webSocket }) => webSocket !== undefined) ||
    axonsOfPlan(plan).some((axon) => keysOf(axon).has(Rooms));
  return isUsed ? stores.rooms() : undefined;
}
