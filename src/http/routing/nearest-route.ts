import { slips } from "#core/nearest.js";

interface RouteName {
  readonly method: string;
  readonly path: string;
}

const MAX_COST = 2;

/**
 * The route that a request without one was probably meant for, "GET /products/:sku": another method
 * of its path, a misspelled segment, or one segment too many or too few. Null if none is near.
 */
export function nearestRoute(method: string, path: string, routes: readonly RouteName[]): string | null {
  const segments = path.toLowerCase().split("/");
  let nearest: string | null = null;
  let least = MAX_COST + 1;
  for (const route of routes) {
    // A fallback serves any method.
    if (route.method === "*") continue;
    const cost = costOf(segments, route.path.toLowerCase().split("/")) + Number(route.method !== method);
    if (cost < least) [least, nearest] = [cost, `${route.method} ${route.path}`];
  }
  return nearest;
}

function costOf(segments: readonly string[], parts: readonly string[]): number {
  const rest = parts.findIndex((part) => part.startsWith("*"));
  const length = rest < 0 ? Math.max(segments.length, parts.length) : rest;
  let cost = 0;
  for (let at = 0; at < length && cost <= MAX_COST; at += 1) {
    const [segment, part] = [segments[at], parts[at]];
    if (!segment || part === undefined) cost += segment === part ? 0 : 1;
    else if (!/^:(?!:)/.test(part)) cost += wordCost(segment, part.replaceAll("::", ":"));
  }
  return cost;
}

/** Beyond a third of it they are different words. */
function wordCost(one: string, other: string): number {
  const most = Math.floor(Math.max(one.length, other.length) / 3);
  if (one === other) return 0;
  const found = Math.abs(one.length - other.length) > most ? most + 1 : slips(one, other);
  return found <= most ? found : MAX_COST + 1;
}
