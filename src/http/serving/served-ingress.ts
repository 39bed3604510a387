// A started ingress: its route kinds, the constants that they and the probes put on the Bus, and the
// dispatcher, which does not depend on any route kind.

import type { AnyKey } from "#core/bus/bus-key.js";
import { systemClock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { Rooms } from "#core/facts/web-socket.js";
import { didYouMean, nearest } from "#core/nearest.js";
import type { InFlight } from "../exchange/in-flight.js";
import { Timetable } from "../native/deadlines.js";
import type { IngressPlan, Phase } from "../plan/ingress-plan.js";
import { requireProxies } from "../plan/limit-options.js";
import { Dispatcher } from "../request/dispatcher.js";
import { EnteredRuns } from "../request/entered-runs.js";
import { MountedRoutes } from "../request/mounted-routes.js";
import { sharedBus } from "../request/shared-bus.js";
import { OpenEvents, OpenEventsKey } from "../sse/event-client.js";
import { type Navigations, NavigationsKey } from "../static/navigations.js";
import { requireTlsPlace } from "../tls/tls-options.js";
import { WebSockets } from "../websocket/web-sockets.js";
import { type Extensions, noExtensions } from "./extension.js";
import { Health, HealthKey, healthChecksOf } from "./health.js";
import { ServedRunsKey } from "./run-status.js";

export interface ServedIngress {
  readonly dispatcher: Dispatcher;
  readonly entered: EnteredRuns;
  readonly routes: MountedRoutes;
  readonly webSockets: WebSockets;
  readonly events: OpenEvents;
  readonly deadlines: Timetable;
  /** Values that all runs share: resources and constants of the ingress. */
  readonly constants: ReadonlyMap<AnyKey, unknown>;
}

/** Throws if a route cannot run, or a resource is missing. */
export function servedIngress(
  plan: IngressPlan,
  resources: Readonly<Record<string, unknown>>,
  inFlight: InFlight,
  phase: () => Phase = () => "ready",
  extensions: Extensions = noExtensions,
): ServedIngress {
  const { reporter, production } = plan;
  const deadlines = new Timetable();
  const webSockets = new WebSockets(plan);
  const events = new OpenEvents(plan, deadlines);
  const about = { resources, production, reporter, clock: systemClock };
  const constants = resourceValues(plan.resources, resources)
    .set(HealthKey, new Health(healthChecksOf(plan), about, phase))
    .set(Rooms, webSockets.rooms)
    .set(OpenEventsKey, events);
  if (plan.kept !== undefined) constants.set(ServedRunsKey, plan.kept.runs);
  for (const { key, make } of plan.constants) constants.set(key, make(plan));
  if (plan.kept !== undefined) plan.kept.host.resources = sharedBus(plan, constants);
  requireProxies(plan);
  requireTlsPlace(plan);
  const pages = constants.get(NavigationsKey) as Navigations | undefined;
  const routes = new MountedRoutes({ plan, constants, deadlines, extensions, kinds: [webSockets] });
  const parts = { plan, routes, inFlight, extensions, pages };
  const dispatcher = new Dispatcher(parts);
  return { dispatcher, entered: new EnteredRuns(parts), routes, webSockets, events, deadlines, constants };
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

function resourceValues(
  keys: readonly AnyKey[],
  given: Readonly<Record<string, unknown>>,
): Map<AnyKey, unknown> {
  const missing = keys.filter((key) => given[key.name] === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    const names = Object.keys(given);
    const known = names.map((name) => ({ name, tail: name }));
    const meant = didYouMean(missing.flatMap((name) => nearest(name, name, known)));
    const had = names.length === 0 ? "" : ` (it was given ${quoted(names)}${meant && `; ${meant}`})`;
    throw new FrameworkError(
      "RESOURCE_MISSING",
      `run() was not given ${quoted(missing)}${had}: pass { name: value } for each declared resource`,
    );
  }
  return new Map(keys.map((key) => [key, given[key.name]]));
}
