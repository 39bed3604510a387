import type { InFlight } from "../exchange/in-flight.js";
import { routeInfos } from "../ingress/route-info.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { Dispatcher } from "../request/dispatcher.js";
import { type InProcessRequest, sendInProcess } from "../request/in-process-request.js";
import { axonsOfPlan, sharedBus } from "../request/shared-bus.js";
import type { ExtensionHost, ServerLoad } from "./extension.js";
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
    runHost: plan.kept?.host,
    resources: sharedBus(plan, dispatcher.constants),
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

const ownHost = ({ allowedHosts: [first = "localhost"] }: IngressPlan): string => first.replace("*", "relay");
