// The route that a request without one was probably meant for: another method of its path, a
// literal segment misspelled, or a segment too many or too few.

interface RouteName {
  readonly method: string;
  readonly path: string;
}

const MAX_COST = 2;

/** "GET /products/:sku"; null if none is near. */
export function nearestRoute(method: string, path: string, routes: readonly RouteName[]): string | null {
  const segments = path.toLowerCase().split("/");
  let nearest: string | null = null;
  let least = MAX_COST + 1;
  for (const route of routes) {
    // A fallback serves any method.
    const cost =
      route.method === "*"
        ? least
        : distance(segments, route.path.toLowerCase().split("/")) + Number(route.method !== method);
    if (cost < least) [least, nearest] = [cost, `${route.method} ${route.path}`];
  }
  return nearest;
}

function distance(segments: readonly string[], parts: readonly string[]): number {
  const rest = parts.findIndex((part) => part.startsWith("*"));
  const length = rest < 0 ? Math.max(segments.length, parts.length) : rest;
  let cost = 0;
  for (let at = 0; at < length && cost <= MAX_COST; at += 1) {
    const [segment, part] = [segments[at], parts[at]?.replaceAll("::", ":")];
    if (segment === undefined || part === undefined || segment === "") cost += segment === part ? 0 : 1;
    else if (!part.startsWith(":") || parts[at]?.startsWith("::")) cost += edits(segment, part);
  }
  return cost;
}

/** Edits that make one word the other; beyond a third of it they are different words. */
function edits(one: string, other: string): number {
  const most = Math.floor(Math.max(one.length, other.length) / 3);
  if (one === other) return 0;
  if (Math.abs(one.length - other.length) > most) return MAX_COST + 1;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const kept = (row[j - 1] as number) + Number(one[i - 1] !== other[j - 1]);
      next.push(Math.min(kept, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  const found = row[other.length] as number;
  return found <= most ? found : MAX_COST + 1;
}
