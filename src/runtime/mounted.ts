// An Axon as an ingress mounts it: layers around it, guards in front.

import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";
import type { AnyLayer } from "#core/layer.js";
import { type AxonDefinition, type LayerDefinition, type StepDefinition, stepOf } from "./axon-definition.js";

/** What an ingress puts around an Axon, the outermost first, and in front of it, in order. */
export interface Front {
  readonly layers: readonly AnyLayer[];
  readonly guards: readonly AnyGuard[];
}

/** The Axon with its front. Ids of its own nodes stay what they were. */
export function mounted(axon: AxonDefinition, { layers, guards }: Front): AxonDefinition {
  const around: LayerDefinition[] = [];
  for (const layer of layers) {
    const occurrence = around.filter((known) => known.layer.name === layer.name).length;
    around.push({ layer, occurrence });
  }
  const inFront: StepDefinition[] = [];
  for (const guard of guards)
    inFront.push(stepOf(inFront, guard, `what Axon '${axon.name}' is mounted with`, mounted));
  return { ...axon, layers: around, guards: inFront };
}

/**
 * How many of its first steps decide before its input is read: its leading guards. None
 * behind a label, where jumps come by that have an input.
 */
export function leadingGuards({ steps, labels }: AxonDefinition): number {
  const firstOther = steps.findIndex(({ transition }) => transition.kind !== "guard");
  return Math.min(firstOther < 0 ? steps.length : firstOther, ...labels.values());
}

/** Whether something runs before its input is read. */
export const decidesFirst = (axon: AxonDefinition): boolean =>
  axon.layers.length + axon.guards.length + leadingGuards(axon) > 0 || axon.iam !== undefined;

/** Throws CONFIG_INVALID for untyped callers. */
export function requireLayer(layer: AnyLayer, where: string): AnyLayer {
  const { name, run } = (layer ?? {}) as Partial<AnyLayer>;
  if (typeof name === "string" && name !== "" && typeof run === "function") return layer;
  throw new FrameworkError(
    "CONFIG_INVALID",
    `${where} was given no layer: make one, as in { name: "timing", run: (bus, next) => next() }`,
  );
}
