import type { Alert } from "../api/watching.js";

const MAX_RUN_IDS = 5;

/** The alerts of several processes, each cause once. */
export function unionOfAlerts(alerts: Iterable<Alert>): ReadonlyMap<string, Alert> {
  const byKey = new Map<string, Alert>();
  for (const alert of alerts) {
    const known = byKey.get(alert.key);
    byKey.set(alert.key, known === undefined ? alert : together(known, alert));
  }
  return byKey;
}

/** Merges one cause of two processes: runs of both, the higher severity, resolved only if both are. */
function together(one: Alert, other: Alert): Alert {
  if (one.state !== other.state) return one.state === "active" ? one : other;
  const [newer, older] = one.last_at >= other.last_at ? [one, other] : [other, one];
  return {
    ...newer,
    severity: [one, other].some(({ severity }) => severity === "critical") ? "critical" : "warning",
    since: Math.min(one.since, other.since),
    run_ids: [...new Set([...newer.run_ids, ...older.run_ids])].slice(0, MAX_RUN_IDS),
  };
}
