import type { DeadLetterSink, DeadLetterStore } from "#core/dead-letter.js";
import { type AxonDefinition, allStepsOf, type StepDefinition } from "#runtime/axon-definition.js";

/** The sinks of Axons, and of what is inside them, that can be read. */
export function deadLetterStoresOf(axons: Iterable<AxonDefinition>): readonly DeadLetterStore[] {
  const found = new Set<DeadLetterStore>();
  const addStep = ({ body, branches }: StepDefinition): void => {
    if (body.kind === "subgraph") addAxon(body.axon);
    if (body.kind === "parallel") for (const step of body.steps) addStep(step);
    for (const attached of branches.values()) addAxon(attached);
  };
  const addAxon = (axon: AxonDefinition): void => {
    if (isStore(axon.dlqSink)) found.add(axon.dlqSink);
    for (const step of allStepsOf(axon)) addStep(step);
  };
  for (const axon of axons) addAxon(axon);
  return [...found];
}

const isStore = (sink: DeadLetterSink | undefined): sink is DeadLetterStore => {
  const { list, get, remove } = (sink ?? {}) as Partial<DeadLetterStore>;
  return [list, get, remove].every((call) => typeof call === "function");
};
