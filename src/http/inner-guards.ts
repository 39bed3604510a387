// Guards inside the steps of an Axon are run, and no more: what an ingress does for a guard
// beside that, it does for whole routes. A limit that would hold nothing is an error.

import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";
import type { AxonDefinition, StepDefinition } from "#runtime/axon-definition.js";

/** The step, and those that it runs. */
export function withInner(step: StepDefinition): readonly StepDefinition[] {
  const { body, branches } = step;
  const axons = [...branches.values(), ...(body.kind === "subgraph" ? [body.axon] : [])];
  const inner = [...axons.flatMap(({ steps }) => steps), ...(body.kind === "parallel" ? body.steps : [])];
  return [step, ...inner.flatMap(withInner)];
}

/** Throws ROUTE_INVALID for an inner guard that asks for what it would not get. */
export function requireNoneInside({ steps }: AxonDefinition, route: string): void {
  for (const step of steps) {
    const inner = withInner(step).find((each) => each !== step && isForRoutes(each.transition as AnyGuard));
    if (inner === undefined) continue;
    throw new FrameworkError(
      "ROUTE_INVALID",
      `The guard '${inner.transition.name}' of ${route} stands inside the step '${step.transition.name}', where nothing of what it declares would be done: mount it in front, { guards: [...] }`,
    );
  }
}

/** One that has its headers written alone decides all the same, as a rate limit of one branch does. */
const isForRoutes = ({ kind, responseHeaders, cors, observer, bodyLimit, timeoutMs }: AnyGuard): boolean =>
  kind === "guard" &&
  [responseHeaders?.always, responseHeaders?.overHttps, cors, observer, bodyLimit, timeoutMs].some(
    (declared) => declared !== undefined,
  );
