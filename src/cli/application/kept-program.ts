// The Axons of a module that keep their runs, each with its store. No server begins.

import type { AnyKey } from "#core/bus/bus-key.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { StoreSet } from "#core/ports/store-set.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { sharedKeys } from "#http/request/shared-bus.js";
import { keptRunsOf } from "#http/serving/kept-runs.js";
import { withStores } from "#http/serving/mounted-stores.js";
import { type AxonDefinition, oldVersionsOf } from "#runtime/definition/axon-definition.js";
import { withOld, withRuns } from "#runtime/definition/mounted-runs.js";
import type { KeptAxon } from "#runtime/hosting/abandoned-runs.js";
import { CommandError } from "../terminal/command.js";

export interface KeptProgram {
  readonly axons: readonly KeptAxon[];
  /** Where their runs are, and the shared one if the ingress has it. */
  readonly stores: readonly RunStore[];
  /** Keys on the Bus of runs that a host of the Axon resumes; undefined for an Axon without a route. */
  readonly given: (axon: AxonDefinition) => readonly AnyKey[] | undefined;
}

/** Throws CONFIG_INVALID and other codes with which the ingress would not start. */
export function keptProgramOf(
  plan: IngressPlan | undefined,
  exported: readonly AxonDefinition[],
  shared: StoreSet,
): KeptProgram {
  const kept = plan && keptRunsOf(withStores(plan, shared), () => "ready");
  const mounted = kept?.host.axons ?? [];
  const axons = [...mounted, ...unmounted(exported, mounted, shared.runs)];
  const hosted = new Set<AxonDefinition>(mounted.flatMap((axon) => [axon, ...oldVersionsOf(axon)]));
  const keys = plan && sharedKeys(plan);
  const own = new Set(axons.map(({ persistence }) => persistence.store));
  if (plan?.stores !== undefined || own.size === 0) own.add(shared.runs);
  return { axons, stores: [...own], given: (axon) => (hosted.has(axon) ? keys : undefined) };
}

/** Exported Axons without a route, but those that complete runs of others. */
function unmounted(
  exported: readonly AxonDefinition[],
  mounted: readonly KeptAxon[],
  runs: RunStore,
): readonly KeptAxon[] {
  const old = new Set(exported.flatMap(oldVersionsOf));
  const found = exported.filter(
    (axon) => isKept(axon) && !old.has(axon) && !mounted.some(({ name }) => name === axon.name),
  );
  const twice = found.find(({ name }, at) => found.findIndex((other) => other.name === name) < at);
  if (twice !== undefined)
    throw new CommandError(`the module exports two Axons named '${twice.name}': a run would be of either`);
  const stored = (axon: AxonDefinition): AxonDefinition => withOld(withRuns(axon, runs), stored);
  return found.map(stored).filter(isKept);
}

const isKept = (axon: AxonDefinition): axon is KeptAxon => axon.persistence !== undefined;
