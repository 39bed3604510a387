import type { Alert, Stall } from "../../api/watching.js";

/** How many things there are to look at: a node that stalls and the alert that it has raised are one. */
export function causesOf(alerts: readonly Alert[], stalls: readonly Stall[]): number {
  const active = alerts.filter(({ state }) => state === "active");
  const told = new Set(active.flatMap(({ kind, node }) => (kind === "stall" && node !== null ? [node] : [])));
  const untold = new Set(stalls.flatMap(({ node }) => (told.has(node) ? [] : [node])));
  return active.length + untold.size;
}
