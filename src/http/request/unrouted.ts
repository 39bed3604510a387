// Requests without a route pass the guards of the ingress, so that a refused client cannot learn which
// paths exist.

import { busKey } from "#core/bus/bus-key.js";
import { fault } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import { routeOf } from "../plan/declared-route.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import type { Refusal } from "../refusal/refusal.js";

export const NoRoute = busKey<Refusal>()("NoRoute");

export const unrouted = (): RouteDefinition =>
  routeOf(
    "GET",
    "/*path",
    Axon.start("unrouted").thenFn("refuse", (_, bus) => fault(bus.get(NoRoute)), { reads: [NoRoute] }),
  );
