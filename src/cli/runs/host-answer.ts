// A request to the hosts of the store, and what one of them answered.

import { randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

import { meantAmong } from "#core/nearest.js";
import type { HostLease } from "#core/ports/run-store.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { type Action, type Done, startedAxon } from "./place.js";

export interface Patience {
  /** For a host that answers. */
  readonly timeoutMs: number;
  /** The pause before the next look. */
  readonly pollMs: number;
}

export const refused = (code: string, detail?: string): Done => ({
  ...{ isDone: false, result: "refused", code },
  ...((detail ?? WHY[code]) !== undefined && { detail: detail ?? (WHY[code] as string) }),
});

const WHY: Readonly<Record<string, string>> = {
  RUN_UNKNOWN: "there is no such run in this store",
  RUN_ENDED: "it has ended",
  RUN_UNFINISHED: "it has not ended: cancel it first",
  RUN_OWNED: "a process whose lease lives runs it",
  RUN_TAKEN: "another process has resumed it meanwhile",
  RUN_WAITING: "it waits: send it a signal, or wake it",
  RUN_REFUSED: "its Axon has policies or guards, which refuse a run without a caller",
  RUN_INCOMPATIBLE: "no code of the hosts fits its version",
  KIND_UNKNOWN: "the host is of a release that cannot do this",
  unknown: "there is no such letter: it was re-driven or discarded",
  busy: "a re-drive of it is at work, perhaps of another operator",
  incomplete: "parts of its values could not be stored: it can only be discarded",
  would_skip:
    "a run cannot begin at the first step that was undone: re-drive it in the Inspector with skip_undone",
  unrecorded: "the audit log of its Axon could not record it",
};

/** One host takes the request and answers. A request that cannot be carried out is not made. */
export async function askHosts(stores: StoreSet, action: Action, patience: Patience): Promise<Done> {
  const { requests, runs } = stores;
  const before = await refusedAtOnce(stores, action);
  if (before !== undefined || requests === undefined) return before ?? refused("KIND_UNKNOWN");
  const request = randomUUID();
  const by = `cli:${userInfo().username}@${hostname()} (unverified)`;
  await requests.ask({ id: request, by, ...action }, patience.timeoutMs);
  for (;;) {
    const state = await requests.state(request);
    if (state?.kind === "answered") return { ...doneIn(state.answer), request };
    if (state?.kind !== "open") {
      const detail = `${await silence(runs.hosts, patience)}: look at it before you ask again`;
      return { isDone: false, result: "unanswered", detail, request };
    }
    await pause(patience.pollMs);
  }
}

/** What the store alone can refuse, so that nothing waits for a host that cannot do it either. */
async function refusedAtOnce({ runs, deadLetters }: StoreSet, action: Action): Promise<Done | undefined> {
  const { kind, target } = action;
  if (kind === "redrive" || kind === "discard")
    return (await deadLetters.get(target)) === undefined ? refused("unknown") : undefined;
  if (kind === "start") return notServed(startedAxon(action), (await runs.hosts?.()) ?? []);
  const glance = await runs.glance?.(target);
  if (glance === undefined) return refused("RUN_UNKNOWN");
  if (kind === "forget") return glance.state === "ended" ? undefined : refused("RUN_UNFINISHED");
  return glance.state === "ended" ? refused("RUN_ENDED") : undefined;
}

/** Undefined also if a host lives that does not say what it serves. */
function notServed(axon: string, hosts: readonly HostLease[]): Done | undefined {
  const living = hosts.filter(({ isAlive }) => isAlive);
  if (living.length === 0 || living.some(({ facts }) => facts === undefined)) return undefined;
  const served = [...new Set(living.flatMap(({ facts }) => Object.keys(facts?.axons ?? {})))];
  if (served.includes(axon)) return undefined;
  const near = meantAmong(axon, served) || `they serve ${served.join(", ") || "none"}`;
  return refused("AXON_UNKNOWN", `no living host serves a kept Axon '${axon}'; ${near}`);
}

async function silence(hosts: StoreSet["runs"]["hosts"], { timeoutMs }: Patience): Promise<string> {
  const living = ((await hosts?.()) ?? []).filter(({ isAlive }) => isAlive).length;
  const why = living === 0 ? "no host of this store is alive" : `${living} of them are alive`;
  return `no host answered within ${timeoutMs / 1000} s, and ${why}`;
}

function doneIn(answer: unknown): Done {
  const { kind, code, detail, reason, result } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === "refused") return refused(String(code), detail === undefined ? undefined : String(detail));
  if (kind === "failed") return { isDone: false, result: "failed", detail: String(reason) };
  return { isDone: true, result: String(result ?? kind) };
}
