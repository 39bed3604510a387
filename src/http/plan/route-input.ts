import type { TObject } from "@sinclair/typebox";
import { type AnyGuard, MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { compileExtractor, type Reader, readNothing } from "../input/extraction.js";
import type { Part } from "../input/extractor.js";
import { requireInteger } from "../refusal/option-checks.js";
import type { IngressPlan } from "./ingress-plan.js";
import { describeRoute, type RouteDefinition } from "./route-definition.js";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);

export interface Input {
  readonly reader: Reader;
  /** True if the reader has validated the Axon's input schema. */
  readonly checked: boolean;
}

/**
 * The input of a route: its extractor; else, for an Axon with an input schema, the JSON body of POST,
 * PUT and PATCH, or path and query; else no input.
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
  // The compilation checks that the schema is an object.
  return { kind: "parameters", schema: axon.input as TObject };
}

export interface RouteLimits {
  /** Body limit in bytes. */
  readonly bodyLimit: number;
  readonly timeoutMs: number;
}

/** The limits of a route, which guards may only lower. Throws CONFIG_INVALID. */
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
