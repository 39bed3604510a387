// An Axon as an ingress mounts it: layers around it, guards in front.

import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AxonDefinition, LayerDefinition, StepDefinition } from "./axon-definition.js";
import { stepOf } from "./axon-extension.js";

/** The layers that an ingress puts around an Axon, the outermost first, and the guards in front, in order. */
export interface Front {
  readonly layers: readonly AnyLayer[];
  readonly guards: readonly AnyGuard[];
}

/** The Axon with its front. The ids of its own nodes do not change. */
export function mounted(axon: AxonDefinition, { layers, guards }: Front): AxonDefinition {
  const around = layers.map((layer, at): LayerDefinition => {
    const occurrence = layers.slice(0, at).filter(({ name }) => name === layer.name).length;
    return { layer, occurrence };
  });
  const inFront: StepDefinition[] = [];
  for (const guard of guards)
    inFront.push(stepOf(inFront, guard, `what Axon '${axon.name}' is mounted with`, mounted));
  return { ...axon, layers: around, guards: inFront };
}

/** Number of guards that run before its input is read: none after a label, because jumps bring an input. */
export function leadingGuards({ steps, labels }: AxonDefinition): number {
  const firstOther = steps.findIndex(({ transition }) => transition.kind !== "guard");
  return Math.min(firstOther < 0 ? steps.length : firstOther, ...labels.values());
}

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

/** As above, for a guard. */
export function requireGuard(guard: AnyGuard, where: string): AnyGuard {
  const { kind, name, run } = (guard ?? {}) as Partial<AnyGuard>;
  if (kind === "guard" && typeof name === "string" && name !== "" && typeof run === "function")
    return withDeclarations(guard);
  throw new FrameworkError("CONFIG_INVALID", `${where} was given no guard: ${remedyFor(guard)}`);
}

function remedyFor(given: unknown): string {
  if (Array.isArray(given)) return "a list is none: give each by itself";
  if (typeof given === "function" && given.name !== "")
    return `if ${given.name} is its class, write new ${given.name}(...)`;
  return 'make one, as in guard({ name: "office-hours", run: (input) => pass(input) })';
}

function withDeclarations(guard: AnyGuard): AnyGuard {
  const { name, responseHeaders, cors, observer } = guard;
  const refuse = (what: string, form: string): never => {
    throw new FrameworkError("CONFIG_INVALID", `${what} of guard '${name}' is none: it has the form ${form}`);
  };
  const { always, overHttps, written, ...others } = partsOf(responseHeaders);
  const isFit = [always, overHttps].every(isPart) && (written === undefined || Array.isArray(written));
  if (!isFit || Object.keys(others).length > 0)
    refuse("responseHeaders", "{ always?: { name: value }, overHttps?: { name: value }, written?: [...] }");
  const { linesFor, preflight } = partsOf(cors);
  if (cors !== undefined && !(typeof linesFor === "function" && typeof preflight === "function"))
    refuse("cors", "{ linesFor(origin, ownOrigin), preflight(asked) }");
  const { answered, reads } = partsOf(observer);
  if (observer !== undefined && !(typeof answered === "function" && Array.isArray(reads)))
    refuse("observer", "{ reads: [...], answered(answer, log) }");
  return guard;
}

const partsOf = (declared: unknown): Readonly<Record<string, unknown>> =>
  (declared ?? {}) as Readonly<Record<string, unknown>>;

const isPart = (part: unknown): boolean => part === undefined || (typeof part === "object" && part !== null);
