import { FrameworkError } from "#core/errors.js";
import type { RunStore } from "#core/ports/run-store.js";
import { mountedRuns } from "#core/ports/store-set.js";
import type { AxonDefinition } from "./axon-definition.js";

/** Whether the Axon keeps its runs in the store of where it is mounted. */
export const takesMountedRuns = ({ persistence }: AxonDefinition): boolean =>
  persistence?.store === mountedRuns;

/** Throws STORE_MISSING for an Axon that runs where it is not mounted. */
export function requireOwnRuns(axon: AxonDefinition): void {
  if (takesMountedRuns(axon))
    throw new FrameworkError(
      "STORE_MISSING",
      `Axon '${axon.name}' keeps its runs in the store of the ingress that it is mounted on, and runs without one: mount it on an ingress with .stores(openStores(...)), or give it a store of its own`,
    );
}

/** The Axon with `store` in that place; the Axon itself if it has a store of its own, or none. */
export function withRuns(axon: AxonDefinition, store: RunStore): AxonDefinition {
  const { persistence } = axon;
  return persistence !== undefined && takesMountedRuns(axon)
    ? { ...axon, persistence: { ...persistence, store } }
    : axon;
}
