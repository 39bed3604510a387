// What an ingress keeps in each of its processes apart, once the stores are handed out (useStores).

import { processStateOf } from "#runtime/run/process-state.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { RouteDefinition } from "../plan/route-definition.js";
import { axonsOf } from "../plan/web-socket-definition.js";
import { composed } from "../request/composition.js";

/** What it is kept apart from: the workers of its machine, or hosts on any. */
type Others = "workers" | "hosts";

/** One text for each thing that is kept apart. */
export function planState(plan: IngressPlan, others: Others): ReadonlySet<string> {
  const routes = plan.fallback === undefined ? plan.routes : [...plan.routes, plan.fallback];
  const kept = new Set(routes.flatMap((route) => stateOf(route, plan, others)));
  if (plan.channels.length > 0 && plan.stores?.channels === undefined)
    kept.add("its event channels keep their events and clients");
  return kept;
}

function stateOf(route: RouteDefinition, plan: IngressPlan, others: Others): readonly string[] {
  const { webSocket } = route;
  const axons = [composed(route, plan), ...axonsOf(webSocket)];
  const kept = axons.flatMap((axon) => [...processStateOf(axon)]);
  if (webSocket === undefined) return kept;
  const joined = plan.stores?.rooms === undefined ? "the rooms of its connections" : undefined;
  const { rooms } = plan;
  const machine = others === "hosts" ? rooms?.perMachine : undefined;
  const reach = rooms === undefined ? joined : (rooms.perProcess ?? machine);
  return reach === undefined ? kept : [...kept, `'${route.pattern.text}' keeps ${reach}`];
}
