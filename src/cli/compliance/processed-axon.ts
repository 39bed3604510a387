// One Axon of an application, with what its values may carry.

import type { Carried } from "#compliance/classes/carried.js";
import { CarriedData } from "#compliance/classes/carried-data.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { Schematic, SchematicNode, SourceLocation } from "#core/flow/schematic.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { type AxonDefinition, allStepsOf } from "#runtime/definition/axon-definition.js";
import { decided } from "#runtime/definition/surroundings.js";
import { schematicOf } from "#runtime/draw/schematic-of.js";

export interface Processed {
  readonly definition: AxonDefinition;
  readonly schematic: Schematic;
  /** All nodes, those inside of others too. */
  readonly nodes: readonly SchematicNode[];
  readonly data: CarriedData;
  readonly plan: IngressPlan | undefined;
  readonly location: SourceLocation | undefined;
  /** What the input of its route declares, by the key of a fact. */
  readonly facts: ReadonlyMap<string, Carried>;
}

export function processedOf(
  definition: AxonDefinition,
  given: Carried,
  facts: ReadonlyMap<string, Carried>,
  plan: IngressPlan | undefined,
): Processed {
  const schematic = schematicOf(definition, { sourceLocations: true });
  const nodes = nodesOf(schematic);
  const location = nodes.find(({ kind }) => kind === "Ingress")?.source_location;
  const data = new CarriedData(schematic, given, facts);
  return { definition: decided(definition), schematic, nodes, data, plan, location, facts };
}

const nodesOf = ({ nodes }: Schematic): readonly SchematicNode[] =>
  nodes.flatMap((node) => [node, ...(node.schematic === undefined ? [] : nodesOf(node.schematic))]);

/** The guards in front of an Axon, and those among its steps. */
export const guardsIn = ({ definition }: Processed): readonly AnyGuard[] =>
  allStepsOf(definition)
    .filter(({ transition }) => transition.kind === "guard")
    .map(({ transition }) => transition as AnyGuard);
