import { routeInfos } from "../description/route-infos.js";
import type { InFlight } from "../exchange/in-flight.js";
import type { ExtensionHost, InProcessRequest, ServerLoad, WorkerMark } from "../plan/extension.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { sendInProcess } from "../request/in-process-request.js";
import { axonsOfPlan, sharedBus } from "../request/shared-bus.js";
import type { ServedIngress } from "./served-ingress.js";
import { workerCrashes } from "./workers/worker.js";

export interface HostedServer {
  readonly plan: IngressPlan;
  readonly served: ServedIngress;
  readonly inFlight: InFlight;
  readonly connections: () => number;
  readonly worker: WorkerMark | undefined;
}

export function extensionHost(server: HostedServer): ExtensionHost {
  const { plan, served, inFlight, connections, worker } = server;
  const host = ownHost(plan);
  const { dispatcher, entered, routes, constants, webSockets } = served;
  return {
    production: plan.production,
    reporter: plan.reporter,
    log: plan.log,
    routes: routeInfos(plan),
    circuits: routes.programs.flatMap(({ watch }) => watch ?? []),
    axons: axonsOfPlan(plan),
    deadLetters: [...new Set(routes.programs.flatMap(({ deadLetters }) => deadLetters))],
    runHost: plan.kept?.host,
    resources: sharedBus(plan, constants),
    worker,
    crashes: workerCrashes,
    inMemory: false,
    load: (): ServerLoad => ({
      requests: inFlight.count,
      runs: routes.running,
      connections: connections(),
      webSockets: webSockets.live.size,
    }),
    send: async (request: InProcessRequest) => {
      if (request.entry === undefined) return sendInProcess(dispatcher, host, request);
      const begun = entered.begin(request);
      return sendInProcess(begun.dispatcher, host, request).finally(begun.done);
    },
    entryAt: (route, node) => entered.entryAt(route, node),
  };
}

const ownHost = ({ allowedHosts: [first = "localhost"] }: IngressPlan): string => first.replace("*", "relay");
