import { FrameworkError } from "#core/errors.js";
import type { RunStore } from "#core/ports/run-store.js";
import { mountedRuns } from "#core/ports/store-set.js";
import { type AxonDefinition, type Migration, oldVersionsOf } from "./axon-definition.js";

/** True if the Axon stores its runs in the store of the host it is mounted in. */
export const takesMountedRuns = ({ persistence }: AxonDefinition): boolean =>
  persistence?.store === mountedRuns;

/** Throws STORE_MISSING for an Axon that uses the host's store and runs without being mounted. */
export function requireOwnRuns(axon: AxonDefinition): void {
  if (takesMountedRuns(axon))
    throw new FrameworkError(
      "STORE_MISSING",
      `Axon '${axon.name}' keeps its runs in the store of the ingress that it is mounted on, and runs without one: mount it on an ingress with .stores(openStores(...)), or give it a store of its own`,
    );
}

/** The Axon with `store` as its host's store; the Axon itself if it has its own store, or none. */
export function withRuns(axon: AxonDefinition, store: RunStore): AxonDefinition {
  const { persistence } = axon;
  return persistence !== undefined && takesMountedRuns(axon)
    ? { ...axon, persistence: { ...persistence, store } }
    : axon;
}

/** The Axon with what `made` makes of the old Axons that complete its runs. */
export function withOld(axon: AxonDefinition, made: (old: AxonDefinition) => AxonDefinition): AxonDefinition {
  const { persistence } = axon;
  if (persistence === undefined || oldVersionsOf(axon).length === 0) return axon;
  const migrations = persistence.migrations.map((migration): Migration => {
    const { from, strategy } = migration;
    if (strategy.kind !== "complete-on-old-version") return migration;
    const old = { ...strategy.axon, definition: made(strategy.axon.definition) };
    return { from, strategy: { ...strategy, axon: old } };
  });
  return { ...axon, persistence: { ...persistence, migrations } };
}

const declared = new WeakMap<AxonDefinition, AxonDefinition>();

/** Remembers of which Axon an ingress made `mounted`: programs know the Axon that they declared. */
export function mountedAs(axon: AxonDefinition, mounted: AxonDefinition): AxonDefinition {
  declared.set(mounted, axon);
  return mounted;
}

/** The Axon as the program declared it. */
export const declaredAs = (axon: AxonDefinition): AxonDefinition => declared.get(axon) ?? axon;
