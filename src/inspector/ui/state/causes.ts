import type { Alert, Stall } from "../../api/watching.js";

/** Number of distinct causes: a stalled node and its alert count once. */
export function causesOf(alerts: readonly Alert[], stalls: readonly Stall[]): number {
  const active = alerts.filter(({ state }) => state === "active");
  const told = new Set(active.flatMap(({ kind, node }) => (kind === "stall" && node !== null ? [node] : [])));
  const untold = new Set(stalls.flatMap(({ node }) => (told.has(node) ? [] : [node])));
  return active.length + untold.size;
}
