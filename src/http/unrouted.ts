// What no route serves, behind the guards of the ingress: who is refused learns
// nothing of which paths there are.

import { busKey } from "#core/bus-key.js";
import { fault } from "#core/outcome.js";
import { Axon } from "#runtime/axon.js";
import { routeOf } from "./declared-route.js";
import type { Refusal } from "./refusal.js";
import type { RouteDefinition } from "./route-definition.js";

/** Why no route serves the request. */
export const NoRoute = busKey<Refusal>()("NoRoute");

/** Ends with that. */
export const unrouted = (): RouteDefinition =>
  routeOf(
    "GET",
    "/*path",
    Axon.start("unrouted").thenFn("refuse", (_, bus) => fault(bus.get(NoRoute)), { reads: [NoRoute] }),
  );
