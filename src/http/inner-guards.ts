// Guards inside the steps of an Axon are run, and the headers they write are told: what an
// ingress does for a guard beside that, it does for whole routes. A limit that would hold
// nothing is an error, and so is a header on every answer that a step declares.

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

/** Throws ROUTE_INVALID for an inner guard, and for a step, that asks for what it would not get. */
export function requireNoneInside({ steps }: AxonDefinition, route: string): void {
  for (const step of steps) {
    const other = withInner(step).find(({ transition }) => hasConstantHeaders(transition as AnyGuard));
    if (other !== undefined)
      throw new FrameworkError(
        "ROUTE_INVALID",
        `The step '${other.transition.name}' of ${route} is no guard, and declares headers that are on every answer: only what it writes can be one, responseHeaders: { written: [...] }`,
      );
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

const hasConstantHeaders = ({
  kind,
  responseHeaders,
}: Pick<AnyGuard, "responseHeaders"> & { kind?: string }) =>
  kind !== "guard" && (responseHeaders?.always ?? responseHeaders?.overHttps) !== undefined;
