import type { MetricsData } from "../../client/api.js";

const REFUSED: ReadonlySet<string> = new Set(["4xx", "5xx", "aborted"]);

/** Requests that no route matched, without what a fallback answered below 400: as the server lists them. */
export const unmatchedOf = ({ by_route: rows }: MetricsData["http"]): number =>
  rows
    .filter(
      ({ route, method, status_class: is }) => route === null && (REFUSED.has(is) || method === "OPTIONS"),
    )
    .reduce((sum, { total }) => sum + total, 0);
