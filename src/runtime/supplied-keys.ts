// What a server gives to its runs is not theirs to change: a resource is one value for
// all of them, and what is made at its first read would be made again.

import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyTransition } from "#core/transition.js";
import { type AxonDefinition, allStepsOf, type StepDefinition } from "./axon-definition.js";
import type { Supply } from "./bus-layout.js";

/** Throws AXON_STEP_INVALID where a step may write or delete a resource, or delete a fact or provided value. */
export function requireUnchanged(axon: AxonDefinition, { constants, lazy }: Supply): void {
  if (constants.size === 0 && lazy.size === 0) return;
  for (const { name, writes = [], mayWrite = [], deletes = [] } of stepsOf(axon)) {
    const refuse = (does: string, { name: key }: AnyKey, why: string): never => {
      const step = `Step '${name}' of Axon '${axon.name}'`;
      throw new FrameworkError(
        "AXON_STEP_INVALID",
        `${step} ${does} '${key}', ${why}: keep what changes during a run under a key of its own`,
      );
    };
    for (const key of [...writes, ...mayWrite, ...deletes])
      if (constants.has(key)) refuse("writes or deletes", key, "a resource that all runs share");
    for (const key of deletes)
      if (lazy.has(key)) refuse("deletes", key, "which the next read would make again");
  }
}

type Declared = Pick<AnyTransition, "name" | "writes" | "mayWrite" | "deletes">;

function* stepsOf(axon: AxonDefinition): Iterable<Declared> {
  for (const { layer } of axon.layers) yield layer;
  for (const step of allStepsOf(axon)) yield* stepsIn(step);
}

function* stepsIn({ transition, body, branches }: StepDefinition): Iterable<Declared> {
  yield transition;
  if (body.kind === "subgraph") yield* stepsOf(body.axon);
  if (body.kind === "parallel") for (const inner of body.steps) yield* stepsIn(inner);
  for (const branch of branches.values()) yield* stepsOf(branch);
}
