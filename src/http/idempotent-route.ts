import type { AnyGuard } from "#core/guard.js";
import type { AxonDefinition, StepDefinition } from "#runtime/axon-definition.js";
import { leadingGuards } from "#runtime/mounted.js";
import type { CircuitContext } from "./circuit-context.js";
import { withInner } from "./composition.js";
import { Idempotency } from "./idempotency.js";
import { routeInvalid } from "./invalid.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

interface Serving extends Pick<CircuitContext, "reporter" | "serves"> {
  readonly timeoutMs: number;
  /** Whether its input streams the body. */
  readonly streams: boolean;
}

/** Undefined where no guard declares it. Throws ROUTE_INVALID, CONFIG_INVALID. */
export function idempotencyOf(
  route: RouteDefinition,
  mounted: AxonDefinition,
  { timeoutMs, reporter, streams, serves }: Serving,
): Idempotency | undefined {
  const description = describeRoute(route);
  const count = leadingGuards(mounted);
  const behind = mounted.steps.slice(count).flatMap(withInner).find(isIdempotent);
  if (behind !== undefined)
    throw routeInvalid(
      `the guard '${behind.transition.name}' of ${description} stands behind its input: mount it in front, { guards: [...] }`,
    );
  const step = [...mounted.guards, ...mounted.steps.slice(0, count)].findLast(isIdempotent);
  const policy = (step?.transition as AnyGuard | undefined)?.idempotency;
  // A fallback serves all methods.
  if (policy === undefined || serves === "nothing") return undefined;
  if (serves !== "fallback" && !policy.methods.has(route.method)) return undefined;
  if (streams)
    throw routeInvalid(
      `${description} reads its body as it arrives, and the guard '${step?.transition.name}' looks at it whole before: take it with bytes(), or leave the guard out, { without: ["${step?.transition.name}"] }`,
    );
  const { name: axon } = mounted;
  const pattern = route.pattern.text;
  return new Idempotency(policy, { description, pattern, axon, timeoutMs, reporter });
}

const isIdempotent = ({ transition }: StepDefinition): boolean =>
  (transition as Partial<AnyGuard>).idempotency !== undefined;
