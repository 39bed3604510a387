import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyTransition } from "#core/flow/transition.js";
import { FencingToken } from "#core/ports/lock.js";
import { RunEpoch, RunId } from "#core/ports/run-store.js";
import {
  type AxonDefinition,
  type StepDefinition,
  type Visitor,
  visitAxon,
  visitStep,
} from "../definition/axon-definition.js";
import type { Supply } from "../run/bus-layout.js";

type Declared = Pick<AnyTransition, "name" | "reads" | "writes" | "mayRead" | "mayWrite" | "deletes">;

/** Keys that a step of a stored run can read without another step that writes them. */
export const KEYS_OF_RUN: readonly AnyKey[] = [RunId, RunEpoch];

/** Every key that a step of the Axon, or of an Axon attached to it, declares. */
export function keysOf(axon: AxonDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>();
  visitAxon(axon, addingTo(keys));
  return keys;
}

export function keysOfStep(step: StepDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>();
  visitStep(step, addingTo(keys));
  return keys;
}

/** Keys that the compensations of a step, or of its parts, read. */
export function keysOfUndo(step: StepDefinition): Set<AnyKey> {
  const keys = new Set<AnyKey>();
  visitStep(step, {
    step({ undo }) {
      for (const key of [...(undo?.transition.reads ?? []), ...(undo?.transition.mayRead ?? [])])
        keys.add(key);
    },
  });
  return keys;
}

function addingTo(keys: Set<AnyKey>): Visitor {
  const add = (more: readonly AnyKey[] = []): void => {
    for (const key of more) keys.add(key);
  };
  return {
    axon({ mode, persistence, layers }) {
      if (mode.kind === "singleton") add([FencingToken]);
      if (persistence !== undefined) add(KEYS_OF_RUN);
      for (const { layer } of layers) add(keysDeclaredBy(layer));
    },
    step({ transition, undo }) {
      add(keysDeclaredBy(transition));
      add(undo?.transition.reads);
      add(undo?.transition.mayRead);
    },
  };
}

export const keysDeclaredBy = (declared: Declared): readonly AnyKey[] => {
  const { reads = [], writes = [], mayRead = [], mayWrite = [], deletes = [] } = declared;
  return [...reads, ...writes, ...mayRead, ...mayWrite, ...deletes];
};

/** Keys that must be present when the step is undone, except those it writes itself. */
export function readsOfUndo({ transition, undo }: StepDefinition): readonly AnyKey[] {
  const { writes = [] } = transition;
  return (undo?.transition.reads ?? []).filter((key) => !writes.includes(key));
}

/**
 * Throws AXON_STEP_INVALID if a step may write or delete a resource, which is one value for all
 * runs, or delete a fact or provided value, which would be made again.
 */
export function requireUnchanged(axon: AxonDefinition, { constants, lazy }: Supply): void {
  if (constants.size === 0 && lazy.size === 0) return;
  const check = ({ name, writes = [], mayWrite = [], deletes = [] }: Declared): void => {
    const refuse = (does: string, key: AnyKey, why: string): never => {
      throw new FrameworkError(
        "AXON_STEP_INVALID",
        `Step '${name}' of Axon '${axon.name}' ${does} '${key.name}', ${why}: keep what changes during a run under a key of its own`,
      );
    };
    for (const key of [...writes, ...mayWrite, ...deletes])
      if (constants.has(key)) refuse("writes or deletes", key, "a resource that all runs share");
    for (const key of deletes)
      if (lazy.has(key)) refuse("deletes", key, "which the next read would make again");
  };
  visitAxon(axon, {
    axon({ layers }) {
      for (const { layer } of layers) check(layer);
    },
    step: ({ transition }) => check(transition),
  });
}
