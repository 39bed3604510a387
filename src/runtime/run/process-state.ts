import { type AxonDefinition, visitAxon } from "../definition/axon-definition.js";

export function processStateOf(axon: AxonDefinition): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string, perProcess: string | undefined): void => {
    if (perProcess !== undefined) found.add(`'${name}' keeps ${perProcess}`);
  };
  add(axon.name, axon.persistence?.store.perProcess);
  visitAxon(axon, {
    axon({ name, mode, dlqSink, audit = axon.audit, layers, steps }) {
      if (mode.kind === "singleton") add(name, mode.provider.perProcess);
      add(name, dlqSink?.perProcess);
      if (steps.some(({ transition }) => transition.audit?.sink === undefined && transition.audit))
        add(name, audit?.sink.perProcess);
      for (const { layer } of layers) add(layer.name, layer.perProcess);
    },
    step: ({ transition }) => add(transition.name, transition.perProcess),
  });
  return found;
}
