import { Bus } from "#core/bus.js";
import type { AxonDefinition } from "#runtime/axon-definition.js";
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
  readonly resources: Readonly<Record<string, unknown>>;
  readonly inFlight: InFlight;
  readonly connections: () => number;
  readonly worker: WorkerMark | undefined;
}

export function extensionHost(server: HostedServer): ExtensionHost {
  const { plan, dispatcher, resources, inFlight, connections, worker } = server;
  const host = ownHost(plan);
  return {
    production: plan.production,
    reporter: plan.reporter,
    log: plan.log,
    routes: routeInfos(plan),
    circuits: dispatcher.programs.flatMap(({ watch }) => watch ?? []),
    axons: axonsOfPlan(plan),
    deadLetters: [...new Set(dispatcher.programs.flatMap(({ deadLetters }) => deadLetters))],
    resources: Bus.of(plan.resources.map((key) => [key, resources[key.name]] as const) as never),
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

function axonsOfPlan({ routes, fallback }: IngressPlan): readonly AxonDefinition[] {
  const all = fallback === undefined ? routes : [...routes, fallback];
  return [...new Set(all.flatMap(({ axon, webSocket }) => [axon, ...axonsOf(webSocket)]))];
}
