import type { Reporter } from "#core/bus/reporter.js";
import { describeRoute, type RouteDefinition } from "../../plan/route-definition.js";

/** The body limit of a route that keeps bodies in memory: a body above `memory` alone would never fit. */
export function reducedLimit(
  route: RouteDefinition,
  limit: number,
  memory: number,
  reporter: Reporter,
): number {
  if (limit <= memory) return limit;
  const message = `${describeRoute(route)} takes bodies of up to ${limit} bytes into memory, and maxBodyBytesInFlight is ${memory}: larger ones are 413. Raise maxBodyBytesInFlight, lower the body limit of the route, or read the body by stream() or into files on disk`;
  reporter({ code: "BODY_LIMIT_REDUCED", message, axon: route.axon.name });
  return memory;
}
