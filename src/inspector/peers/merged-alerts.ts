import type { Static } from "@sinclair/typebox";

import type { Alerting } from "../alerts/alerting.js";
import type { Alert, Alerts } from "../api/watching.js";
import type { Peers } from "./peers.js";
import { USER_WAIT_MS } from "./waits.js";

const ALERTS = "alerts";
const MAX_RUN_IDS = 5;

/** The alerts of all processes of a service, each cause once; those of this process alone where it has no peers. */
export class MergedAlerts {
  readonly #own: Pick<Alerting, "list">;
  readonly #peers: Peers | undefined;

  /** From here on this process answers what its peers ask of its alerts. */
  constructor(own: Pick<Alerting, "list">, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(ALERTS, () => own.list());
  }

  /** Active ones first, each the newest first. */
  async list(): Promise<Static<typeof Alerts>["data"]> {
    const asked = await this.#peers?.askAll(ALERTS, null, { waitMs: USER_WAIT_MS });
    const others = (asked?.answers ?? []).flatMap(({ value }) => value as readonly Alert[]);
    const byKey = new Map<string, Alert>();
    for (const alert of [...this.#own.list(), ...others]) {
      const known = byKey.get(alert.key);
      byKey.set(alert.key, known === undefined ? alert : together(known, alert));
    }
    return { alerts: [...byKey.values()].sort(compare), workers_silent: asked?.silent ?? 0 };
  }
}

const compare = (one: Alert, other: Alert): number =>
  one.state === other.state ? other.since - one.since : one.state === "active" ? -1 : 1;

/** One cause in two processes: what is seen in either is there, and it is over where it is over in both. */
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
