import { type AxonDefinition, allStepsOf, type StepDefinition } from "./axon-definition.js";

/**
 * What the Axon's parts say that they keep in the memory of their process: of several
 * workers each has its own. `'limit' keeps how often each client came`.
 */
export function processStateOf(axon: AxonDefinition): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string, perProcess: string | undefined): void => {
    if (perProcess !== undefined) found.add(`'${name}' keeps ${perProcess}`);
  };
  const addStep = ({ transition, body, branches }: StepDefinition): void => {
    add(transition.name, transition.perProcess);
    if (body.kind === "subgraph") addAxon(body.axon);
    if (body.kind === "parallel") for (const step of body.steps) addStep(step);
    for (const attached of branches.values()) addAxon(attached);
  };
  const addAxon = (within: AxonDefinition): void => {
    const { name, mode, dlqSink, layers } = within;
    if (mode.kind === "singleton") add(name, mode.provider.perProcess);
    add(name, dlqSink?.perProcess);
    for (const { layer } of layers) add(layer.name, layer.perProcess);
    for (const step of allStepsOf(within)) addStep(step);
  };
  add(axon.name, axon.persistence?.store.perProcess);
  addAxon(axon);
  return found;
}
