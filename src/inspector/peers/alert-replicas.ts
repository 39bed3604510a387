// Copies of the active alerts that the first worker has announced to the hooks and the feed.
// The other workers hold them: if the first worker ends, its successor announces the end of alerts
// that only the first worker had.

import { Type } from "@sinclair/typebox";

import { Alert } from "../api/watching.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const MAX_TOLD = 500;

interface Told {
  /** True if `alerts` replaces the whole list. */
  readonly isAll: boolean;
  readonly alerts: readonly Alert[];
}

const TOLD = subject<Told>("alerts told", Type.Object({ isAll: Type.Boolean(), alerts: Type.Array(Alert) }));
/** The request for the copies that a worker holds. */
const REMEMBERED = subject<readonly Alert[]>("alerts told", Type.Array(Alert));

/** For each worker but the first. */
export function keepAlertReplicas(peers: Peers): void {
  let told: Map<string, Alert> | undefined;
  peers.hears(TOLD, ({ isAll, alerts }) => {
    if (isAll || told === undefined) told = new Map();
    for (const alert of alerts) {
      told.delete(alert.key);
      if (alert.state === "active" && told.size < MAX_TOLD) told.set(alert.key, alert);
    }
  });
  // A worker that received no list answers null: it cannot tell "no alerts" from "not told".
  peers.answers(REMEMBERED.about, () => told && [...told.values()]);
}

export const replicateAlert = (peers: Peers, alert: Alert): void =>
  say(peers, { isAll: false, alerts: [alert] });

export const replicateAllAlerts = (peers: Peers, alerts: Iterable<Alert>): void =>
  say(peers, { isAll: true, alerts: [...alerts].slice(-MAX_TOLD) });

const say = (peers: Peers, told: Told): void => peers.tell(TOLD.about, told);

/**
 * The alerts that the other workers hold. Undefined if no worker answered and at least one is
 * silent. Never rejects.
 */
export async function fetchAlertReplicas(peers: Peers): Promise<readonly Alert[] | undefined> {
  const { answers, silent } = await peers.askAll(REMEMBERED, null, { steers: true });
  if (answers.length === 0 && silent > 0) return undefined;
  return answers.flatMap(({ value }) => value);
}
