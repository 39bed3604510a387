import type { Static } from "@sinclair/typebox";

import type { Alerts as OwnAlerts } from "../alerts/alerts.js";
import type { Alert, Alerts } from "../api/watching.js";
import { unionOfAlerts } from "./alert-union.js";
import { type CutList, cutOnes, halved, whole } from "./cut-list.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { ALERTS } from "./shared-alerts.js";

/** The alerts of all processes of a service, each cause once. Without peers, those of this process. */
export class MergedAlerts {
  readonly #own: Pick<OwnAlerts, "list">;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's alerts. */
  constructor(own: Pick<OwnAlerts, "list">, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(
      ALERTS.about,
      () => whole(own.list()),
      (alerts) => halved(alerts as CutList<Alert>),
    );
  }

  /** Active alerts first, then by age, the newest first. */
  async list(): Promise<Static<typeof Alerts>["data"]> {
    const asked = await this.#peers?.askAll(ALERTS, null, { waitMs: USER_WAIT_MS });
    const others = (asked?.answers ?? []).map(({ value }) => value);
    const all = unionOfAlerts([...this.#own.list(), ...others.flatMap(({ rows }) => rows)]);
    return {
      alerts: [...all.values()].sort(compare),
      workers_silent: (asked?.silent ?? 0) + cutOnes(others),
    };
  }
}

const compare = (one: Alert, other: Alert): number =>
  one.state === other.state ? other.since - one.since : one.state === "active" ? -1 : 1;
