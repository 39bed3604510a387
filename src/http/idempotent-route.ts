import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";
import type { Reporter } from "#core/reporter.js";
import type { AxonDefinition, StepDefinition } from "#runtime/axon-definition.js";
import { leadingGuards } from "#runtime/mounted.js";
import type { CircuitContext } from "./circuit-context.js";
import { Idempotency } from "./idempotency.js";
import { withInner } from "./inner-guards.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

export interface Serving {
  readonly timeoutMs: number;
  readonly reporter: Reporter;
  /** Whether its input takes the body as it arrives. */
  readonly streams: boolean;
  readonly serves: CircuitContext["serves"];
}

/**
 * How requests of a route that come again are answered; undefined where no guard says. Throws
 * ROUTE_INVALID, CONFIG_INVALID where that cannot be.
 */
export function idempotencyOf(
  route: RouteDefinition,
  mounted: AxonDefinition,
  { timeoutMs, reporter, streams, serves }: Serving,
): Idempotency | undefined {
  const description = describeRoute(route);
  const count = leadingGuards(mounted);
  const behind = mounted.steps.slice(count).flatMap(withInner).find(isIdempotent);
  if (behind !== undefined)
    throw invalid(
      `the guard '${behind.transition.name}' of ${description} stands behind its input: mount it in front, { guards: [...] }`,
    );
  const step = [...mounted.guards, ...mounted.steps.slice(0, count)].findLast(isIdempotent);
  const policy = (step?.transition as AnyGuard | undefined)?.idempotency;
  // Whether a request that no route serves has such a method is seen when it comes.
  if (policy === undefined || serves === "nothing") return undefined;
  if (serves !== "fallback" && !policy.methods.has(route.method)) return undefined;
  if (streams)
    throw invalid(
      `${description} reads its body as it arrives, and the guard '${step?.transition.name}' looks at it whole before: take it with bytes(), or leave the guard out, { without: ["${step?.transition.name}"] }`,
    );
  const { name: axon } = mounted;
  const pattern = route.pattern.text;
  return new Idempotency(policy, { description, pattern, axon, timeoutMs, reporter });
}

const isIdempotent = ({ transition }: StepDefinition): boolean =>
  (transition as Partial<AnyGuard>).idempotency !== undefined;

const invalid = (message: string): FrameworkError => new FrameworkError("ROUTE_INVALID", message);
