import type { AnyKey } from "#core/bus-key.js";
import type { AxonDefinition, StepDefinition } from "./axon-definition.js";

/** Every key that a step of the Axon, or of what is attached to it, declares. */
export function keysOf(axon: AxonDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>();
  for (const step of axon.steps) for (const key of keysOfStep(step)) keys.add(key);
  return keys;
}

/** The same of one step. */
export function keysOfStep({ transition, body, branches, undo }: StepDefinition): Set<AnyKey> {
  const { reads = [], writes = [], mayRead = [], mayWrite = [] } = transition;
  const keys = new Set([...reads, ...writes, ...mayRead, ...mayWrite]);
  const add = (more: Iterable<AnyKey>): void => {
    for (const key of more) keys.add(key);
  };
  add(undo?.transition.reads ?? []);
  add(undo?.transition.mayRead ?? []);
  if (body.kind === "subgraph") add(keysOf(body.axon));
  if (body.kind === "parallel") for (const step of body.steps) add(keysOfStep(step));
  for (const attached of branches.values()) add(keysOf(attached));
  return keys;
}
