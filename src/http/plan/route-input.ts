import type { TObject } from "@sinclair/typebox";
import { type AnyGuard, MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { compileExtractor, type Reader, readNothing } from "../input/extraction.js";
import type { Part } from "../input/extractor.js";
import { requireInteger } from "../refusal/required-integer.js";
import type { IngressPlan } from "./ingress-plan.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

export interface Input {
  readonly reader: Reader;
  /** Whether the reader has checked the Axon's own input schema. */
  readonly checked: boolean;
}

/**
 * By the route's extractor; else, for an Axon with an input schema, from the JSON body of POST,
 * PUT and PATCH, or from path and query; else without input.
 */
export function inputOf(route: RouteDefinition): Input {
  const { axon, pattern } = route;
  const part = declaredInput(route);
  if (part === undefined) return { reader: readNothing, checked: false };
  const checked = part.kind !== "combine" && "schema" in part && part.schema === axon.input;
  return { reader: compileExtractor(part, pattern, describeRoute(route)), checked };
}

export function declaredInput({ axon, method, input }: RouteDefinition): Part | undefined {
  if (input !== undefined) return input;
  if (axon.input === undefined) return undefined;
  if (WITH_BODY.has(method)) return { kind: "json", schema: axon.input };
  // Whether it is an object is checked when it is compiled.
  return { kind: "parameters", schema: axon.input as TObject };
}

export interface RouteLimits {
  /** Bytes. */
  readonly bodyLimit: number;
  readonly timeoutMs: number;
}

/** Guards only lower them. Throws CONFIG_INVALID. */
export function limitsOf(
  route: Pick<RouteDefinition, "bodyLimit" | "timeoutMs">,
  guards: readonly AnyGuard[],
  plan: Pick<IngressPlan, "bodyLimit" | "routeTimeoutMs">,
): RouteLimits {
  let { bodyLimit = plan.bodyLimit, timeoutMs = plan.routeTimeoutMs } = route;
  for (const guard of guards) {
    // NaN would limit nothing.
    const of = (option: "bodyLimit" | "timeoutMs", least: number, most: number): number =>
      requireInteger(`${option} of guard '${guard.name}'`, guard[option] ?? most, least, most);
    bodyLimit = Math.min(bodyLimit, of("bodyLimit", 0, MAX_BODY_LIMIT));
    timeoutMs = Math.min(timeoutMs, of("timeoutMs", 1, MAX_ROUTE_TIMEOUT_MS));
  }
  return { bodyLimit, timeoutMs };
}
