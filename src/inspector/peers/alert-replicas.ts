// What the first worker has told hooks and the feed of and not as over, as the others remember it:
// it may end with causes that it alone had, and who takes its place tells of their end.

import { Type } from "@sinclair/typebox";

import { Alert } from "../api/watching.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

const MAX_TOLD = 500;

interface Told {
  /** There are no others. */
  readonly isAll: boolean;
  readonly alerts: readonly Alert[];
}

const TOLD = subject<Told>("alerts told", Type.Object({ isAll: Type.Boolean(), alerts: Type.Array(Alert) }));
/** What is remembered. */
const REMEMBERED = subject<readonly Alert[]>("alerts told", Type.Array(Alert));

/** Of a worker beside the first: from here on it remembers. */
export function keepAlertReplicas(peers: Peers): void {
  let told: Map<string, Alert> | undefined;
  peers.hears(TOLD, ({ isAll, alerts }) => {
    if (isAll || told === undefined) told = new Map();
    for (const alert of alerts) {
      told.delete(alert.key);
      if (alert.state === "active" && told.size < MAX_TOLD) told.set(alert.key, alert);
    }
  });
  // Who was told nothing does not know that there is nothing.
  peers.answers(REMEMBERED.about, () => told && [...told.values()]);
}

export const replicateAlert = (peers: Peers, alert: Alert): void =>
  say(peers, { isAll: false, alerts: [alert] });

export const replicateAllAlerts = (peers: Peers, alerts: Iterable<Alert>): void =>
  say(peers, { isAll: true, alerts: [...alerts].slice(-MAX_TOLD) });

const say = (peers: Peers, told: Told): void => peers.tell(TOLD.about, told);

/** What the others remember. Undefined: not all have answered, and nobody remembers anything. Never rejects. */
export async function fetchAlertReplicas(peers: Peers): Promise<readonly Alert[] | undefined> {
  const { answers, silent } = await peers.askAll(REMEMBERED, null, { steers: true });
  if (answers.length === 0 && silent > 0) return undefined;
  return answers.flatMap(({ value }) => value);
}
