import type { Given } from "../api/shapes.js";
import type { Alert } from "../api/watching.js";

const MAX_RUN_IDS = 5;

/** The alerts of several processes, each cause once. */
export function unionOfAlerts<A extends Given<Alert>>(alerts: Iterable<A>): ReadonlyMap<string, A> {
  const byKey = new Map<string, A>();
  for (const alert of alerts) {
    const known = byKey.get(alert.key);
    byKey.set(alert.key, known === undefined ? alert : together(known, alert));
  }
  return byKey;
}

/** Merges one cause of two processes: runs of both, the higher severity, resolved only if both are. */
function together<A extends Given<Alert>>(one: A, other: A): A {
  if (one.state !== other.state) return one.state === "active" ? one : other;
  const [newer, older] = one.last_at >= other.last_at ? [one, other] : [other, one];
  return {
    ...newer,
    severity: [one, other].some(({ severity }) => severity === "critical") ? "critical" : "warning",
    since: Math.min(one.since, other.since),
    run_ids: [...new Set([...newer.run_ids, ...older.run_ids])].slice(0, MAX_RUN_IDS),
  };
}
