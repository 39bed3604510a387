// Warns once where several living hosts of a service have state apart, which their stores could share.
//
//   HS1. Another host counts once two looks in a row have seen it: neither the lease of a process that was
//        killed nor a rolling restart is a second host.

import { hostname } from "node:os";

import type { HostLease } from "#core/ports/run-store.js";
import { type Heartbeat, PROCESS_BEGAN_AT } from "#runtime/hosting/heartbeat.js";
import { planState } from "../description/plan-state.js";
import type { WorkerMark } from "../plan/extension.js";
import type { IngressPlan } from "../plan/ingress-plan.js";

/** The list of hosts counts their runs: it is read with each tenth beat, twice a minute by default. */
const BEATS = 10;

interface WatchedHost {
  readonly id: string;
  readonly heartbeat: Pick<Heartbeat, "after">;
}

/** Of workers only the first one looks, and only at other machines: the supervisor warns about workers. */
export function watchHosts(plan: IngressPlan, host: WatchedHost, worker: WorkerMark | undefined): void {
  const store = plan.stores?.runs;
  if (store?.hosts === undefined || (worker?.number ?? 1) !== 1) return;
  const kept = planState(plan, "hosts");
  if (kept.size === 0) return;
  const isOther = ({ id, isAlive, facts }: HostLease): boolean => {
    if (!isAlive || id === host.id) return false;
    if (facts?.machine !== hostname()) return true;
    return worker === undefined && (facts.pid !== process.pid || facts.began_at !== PROCESS_BEGAN_AT);
  };
  let beats = 0;
  let seen = new Set<string>();
  let isDone = false;
  host.heartbeat.after.push(async () => {
    beats += 1;
    if (isDone || beats % BEATS !== 1) return;
    const others = ((await store.hosts?.()) ?? []).filter(isOther).map(({ id }) => id);
    isDone = others.some((id) => seen.has(id));
    seen = new Set(others);
    if (!isDone) return;
    const message = `${others.length + 1} hosts share the work of this service, and each has its own state: ${[...kept].join("; ")}. Give the ingress stores that all hosts see: set redis.url for config.openStores(), or open them with rates: "sql", and name event channels in .channels(...)`;
    plan.reporter({ code: "STATE_PER_HOST", message });
  });
}
