// The Bus of runs without a request: resumed and re-driven ones.

import { Bus } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { FailureLog, Log } from "#core/bus/log.js";
import { Rooms } from "#core/facts/web-socket.js";
import { keysOf } from "#runtime/check/used-keys.js";
import type { AxonDefinition } from "#runtime/definition/axon-definition.js";
import { ofRequest } from "#telemetry/logging/logger.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { axonsOf } from "../plan/web-socket-definition.js";

/** The log is created only if an Axon reads it, so that other programs do not load it. */
export function sharedBus(plan: IngressPlan, constants: ReadonlyMap<AnyKey, unknown>): Bus {
  const isRead = axonsOfPlan(plan).some((axon) => [...keysOf(axon)].some((key) => LOGS.includes(key)));
  const logs = isRead ? LOGS.map((key) => [key, ofRequest(plan.log.logger.child({}))] as const) : [];
  return Bus.of([...constants, ...logs] as never);
}

/** The keys of that Bus, as far as steps of an application read them: known before the server starts. */
export const sharedKeys = ({ resources, constants }: IngressPlan): readonly AnyKey[] => [
  ...resources,
  ...constants.map(({ key }) => key),
  Rooms,
  ...LOGS,
];

const LOGS: readonly AnyKey[] = [Log, FailureLog];

export function axonsOfPlan({ routes, fallback }: IngressPlan): readonly AxonDefinition[] {
  const all = fallback === undefined ? routes : [...routes, fallback];
  return [...new Set(all.flatMap(({ axon, webSocket }) => [axon, ...axonsOf(webSocket)]))];
}
