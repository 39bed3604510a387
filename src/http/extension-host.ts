import { Bus } from "#core/bus.js";
import type { AnyKey } from "#core/bus-key.js";
import { FailureLog, Log } from "#core/log.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
import { keysOf } from "#runtime/used-keys.js";
import { ofRequest } from "#telemetry/logger.js";
import type { Dispatcher } from "./dispatcher.js";
import type { ExtensionHost, ServerLoad } from "./extension.js";
import type { InFlight } from "./in-flight.js";
import { type InProcessRequest, sendInProcess } from "./in-process-request.js";
import type { IngressPlan } from "./ingress-plan.js";
import { routeInfos } from "./route-info.js";
import { axonsOf } from "./websocket/flow.js";
import type { WorkerMark } from "./workers/worker-mark.js";

export interface HostedServer {
  readonly plan: IngressPlan;
  readonly dispatcher: Dispatcher;
  readonly inFlight: InFlight;
  readonly connections: () => number;
  readonly worker: WorkerMark | undefined;
}

export function extensionHost(server: HostedServer): ExtensionHost {
  const { plan, dispatcher, inFlight, connections, worker } = server;
  const host = ownHost(plan);
  return {
    production: plan.production,
    reporter: plan.reporter,
    log: plan.log,
    routes: routeInfos(plan),
    circuits: dispatcher.programs.flatMap(({ watch }) => watch ?? []),
    axons: axonsOfPlan(plan),
    deadLetters: [...new Set(dispatcher.programs.flatMap(({ deadLetters }) => deadLetters))],
    resources: sharedBus(plan, dispatcher),
    worker,
    inMemory: false,
    load: (): ServerLoad => ({
      requests: inFlight.count,
      runs: dispatcher.running,
      connections: connections(),
      webSockets: dispatcher.webSockets.live.size,
    }),
    send: (request: InProcessRequest) => sendInProcess(dispatcher, host, request),
  };
}

/** The log is made where an Axon reads it: a program that logs nothing does not load it. */
function sharedBus(plan: IngressPlan, { constants }: Dispatcher): Bus {
  const isRead = axonsOfPlan(plan).some((axon) => [...keysOf(axon)].some((key) => LOGS.includes(key)));
  const logs = isRead ? LOGS.map((key) => [key, ofRequest(plan.log.logger.child({}))] as const) : [];
  return Bus.of([...constants, ...logs] as never);
}

const LOGS: readonly AnyKey[] = [Log, FailureLog];

const ownHost = ({ allowedHosts: [first = "localhost"] }: IngressPlan): string => first.replace("*", "relay");

function axonsOfPlan({ routes, fallback }: IngressPlan): readonly AxonDefinition[] {
  const all = fallback === undefined ? routes : [...routes, fallback];
  return [...new Set(all.flatMap(({ axon, webSocket }) => [axon, ...axonsOf(webSocket)]))];
}
