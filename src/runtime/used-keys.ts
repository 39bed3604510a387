import type { AnyKey } from "#core/bus-key.js";
import { FencingToken } from "#core/lock.js";
import { RunId } from "#core/run-store.js";
import type { AnyTransition } from "#core/transition.js";
import { type AxonDefinition, allStepsOf, type StepDefinition } from "./axon-definition.js";

/** Every key that a step of the Axon, or of what is attached to it, declares. */
export function keysOf(axon: AxonDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>(axon.mode.kind === "singleton" ? [FencingToken] : []);
  if (axon.persistence !== undefined) keys.add(RunId);
  const add = (more: Iterable<AnyKey>): void => {
    for (const key of more) keys.add(key);
  };
  for (const { layer } of axon.layers) add(keysDeclaredBy(layer));
  for (const step of allStepsOf(axon)) add(keysOfStep(step));
  return keys;
}

/** The keys that a step or a layer names. */
export const keysDeclaredBy = ({
  reads = [],
  writes = [],
  mayRead = [],
  mayWrite = [],
  deletes = [],
}: Pick<AnyTransition, "reads" | "writes" | "mayRead" | "mayWrite" | "deletes">): readonly AnyKey[] => [
  ...reads,
  ...writes,
  ...mayRead,
  ...mayWrite,
  ...deletes,
];

/** The same of one step. */
export function keysOfStep({ transition, body, branches, undo }: StepDefinition): Set<AnyKey> {
  const keys = new Set(keysDeclaredBy(transition));
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

/** What has to be there when the step is undone: what it writes itself will be. */
export function readsOfUndo({ transition, undo }: StepDefinition): readonly AnyKey[] {
  const { writes = [] } = transition;
  return (undo?.transition.reads ?? []).filter((key) => !writes.includes(key));
}
