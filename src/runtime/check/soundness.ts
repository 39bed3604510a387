// Rules that an Axon must keep by its declarations alone: each jump has a label, each branch an
// Axon, and runs wait where they can be woken.

import { FrameworkError } from "#core/errors.js";
import type { AxonDefinition, StepDefinition } from "../definition/axon-definition.js";
import { requireWaitingPlaces } from "./waiting-places.js";

/** For the outermost Axon. */
export function requireSound(axon: AxonDefinition): void {
  requireTargets(axon);
  requireWaitingPlaces(axon);
}

function requireTargets(axon: AxonDefinition): void {
  for (const step of axon.steps) {
    for (const label of step.transition.jumps ?? []) labelIndex(axon, step, label);
    for (const id of step.transition.branches ?? []) requireTargets(branchBody(axon, step, id));
    for (const inner of axonsIn(step)) requireTargets(inner);
  }
}

function axonsIn({ body }: StepDefinition): readonly AxonDefinition[] {
  if (body.kind === "subgraph") return [body.axon];
  return body.kind === "parallel" ? body.steps.flatMap(axonsIn) : [];
}

/** The index of the step after a label; the number of steps for a label at the end. */
export function labelIndex(axon: AxonDefinition, { transition }: StepDefinition, label: string): number {
  const index = axon.labels.get(label);
  if (index !== undefined) return index;
  const known = [...axon.labels.keys()].map((name) => `'${name}'`).join(", ") || "none";
  throw new FrameworkError(
    "AXON_JUMP_UNRESOLVED",
    `Axon '${axon.name}', step '${transition.name}' jumps to '${label}', which is no label of this Axon (it has ${known}): call .label('${label}') before the step to go on at`,
  );
}

export function branchBody(
  axon: AxonDefinition,
  { transition, branches }: StepDefinition,
  id: string,
): AxonDefinition {
  const body = branches.get(id);
  if (body !== undefined) return body;
  throw new FrameworkError(
    "AXON_BRANCH_OPEN",
    `Axon '${axon.name}', step '${transition.name}': branch '${id}' has no Axon; call .branch('${id}', axon) right after the step`,
  );
}
