// Which guards and boundaries a run passes on its way to a node of the line, as far as they stand
// behind the input: the others run before each run.

import { type AxonDefinition, type StepDefinition, visitStep } from "../definition/axon-definition.js";
import { leadingGuards } from "../definition/mounted.js";
import { branchPath, iamId, ingressId, stepId } from "../run/node-id.js";

/** By node: their names, in order. A guard on any path to the node counts. */
export function decidersBefore(axon: AxonDefinition, path: string): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, readonly string[]>();
  placed(axon, path, [], leadingGuards(axon), before);
  return before;
}

function placed(
  { steps }: AxonDefinition,
  path: string,
  passed: readonly string[],
  leading: number,
  before: Map<string, readonly string[]>,
): void {
  let so = passed;
  before.set(ingressId(path), so);
  for (const [i, step] of steps.entries()) {
    const id = stepId(path, step);
    before.set(id, so);
    const inner = (axon: AxonDefinition, inside: string): void => {
      const iam = axon.iam && iamId(inside);
      if (iam !== undefined) before.set(iam, so);
      placed(axon, inside, iam === undefined ? so : [...so, iam], 0, before);
    };
    if (step.body.kind === "subgraph") inner(step.body.axon, id);
    for (const [name, body] of step.branches) inner(body, branchPath(id, name));
    if (i >= leading) so = [...so, ...decidersIn(step)];
  }
}

function decidersIn(step: StepDefinition): readonly string[] {
  const names: string[] = [];
  visitStep(step, {
    step: ({ transition }) => {
      if (transition.kind === "guard") names.push(transition.name);
    },
  });
  return names;
}
