import { createHash } from "node:crypto";

import type { Bus } from "#core/bus/bus.js";
import type { Migration } from "../definition/axon-definition.js";
import { schematicOf } from "../draw/schematic-of.js";
import type { KeptAxon } from "./abandoned-runs.js";

/**
 * Names what this process can resume: its kept Axons with their versions, structure and migrations,
 * and its resources. A run that does not fit is looked at again by any other release.
 */
export function releaseOf(axons: readonly KeptAxon[], resources: Bus): string {
  const mounted = axons
    .map((axon) => ({ schematic: schematicOf(axon), migrations: axon.persistence.migrations.map(shown) }))
    .sort((a, b) => (a.schematic.name < b.schematic.name ? -1 : 1));
  const keys = resources.entries.map(([key]) => key.name).sort();
  return createHash("sha256")
    .update(JSON.stringify([mounted, keys]))
    .digest("hex")
    .slice(0, 16);
}

/** Of a function its text counts. */
function shown({ from, strategy }: Migration): unknown {
  if (strategy.kind === "complete-on-old-version")
    return { from, kind: strategy.kind, old: schematicOf(strategy.axon.definition) };
  return { from, ...strategy, ...("mapInput" in strategy && { mapInput: String(strategy.mapInput) }) };
}
