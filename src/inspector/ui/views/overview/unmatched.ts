import type { MetricsData } from "../../client/api.js";

const REFUSED: ReadonlySet<string> = new Set(["4xx", "5xx", "aborted"]);

/** Number of unmatched requests, without a fallback's responses below 400, as in the server's list. */
export const unmatchedOf = ({ by_route: rows }: MetricsData["http"]): number =>
  rows
    .filter(
      ({ route, method, status_class: is }) => route === null && (REFUSED.has(is) || method === "OPTIONS"),
    )
    .reduce((sum, { total }) => sum + total, 0);
