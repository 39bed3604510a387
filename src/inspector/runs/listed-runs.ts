// Rows of what stores list: unfinished runs and hosts.

import type { Static, TSchema } from "@sinclair/typebox";
import type { LabelFilter } from "#core/bus/label.js";
import type { RunCancelRequest, RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import { isTraceMark } from "#core/timeline/trace-mark.js";
import { whyLeft } from "#runtime/hosting/left-runs.js";
import type { Hosted } from "#runtime/hosting/unfit-reason.js";
import type { Hosts, KeptRun, UnfinishedQuery, UnfinishedRuns } from "../api/runs.js";

/** Of a list of one state: the runs that are looked through, by pages. */
const PAGE = 500;
const MAX_PAGES = 20;

type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? D : never;
export type Unfinished = Data<typeof UnfinishedRuns>["runs"];
export type ListedHosts = Omit<Data<typeof Hosts>, "workers_silent">;

interface Listing {
  readonly store: RunStore;
  readonly axon: string;
  /** What the asked process can resume; empty if it is no host. */
  readonly axons: Hosted["axons"];
  readonly label: LabelFilter | undefined;
  readonly isOperator: boolean;
}

/** Runs of one Axon, in the order in which they began. */
export async function unfinishedIn(
  of: Listing,
  { state, limit }: UnfinishedQuery & { readonly limit: number },
): Promise<Unfinished> {
  const { store, axon, axons, label, isOperator } = of;
  const hosts = await store.hosts?.();
  const left = (run: UnfinishedRun) => (axons.length === 0 ? undefined : whyLeft(axons, run));
  const size = state === undefined ? limit : PAGE;
  const found: Unfinished = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < limit; page += 1) {
    const filter = { axon, limit: size, ...(label && { label }), ...(after && { after }) };
    const runs = await store.unfinished(filter);
    const abandoned = runs.some((run) => left(run) !== undefined)
      ? await store.unfinished({ ...filter, abandoned: true })
      : [];
    const ids = new Set(abandoned.map(({ id }) => id));
    for (const run of runs) {
      const { id, host, node = null, labels, stuck = false } = run;
      const unfit = run.unfit ?? (ids.has(id) ? left(run) : undefined) ?? null;
      const now = stuck ? "stuck" : unfit === null ? "running" : "unfit";
      const isAlive = hosts?.some((one) => one.id === host && one.isAlive);
      if (now === (state ?? now))
        found.push({
          ...{ run_id: id, circuit: run.axon, state: now, node, began_at: run.began_at, last_at: run.at },
          ...{ unfit, trace_id: traceIdOf(run.trace), cancel: cancelOf(run.cancel, isOperator) },
          owner: host === undefined ? null : { host, is_alive: isAlive ?? null },
          ...(labels && { labels }),
        });
    }
    after = runs.at(-1)?.place;
    if (runs.length < size || after === undefined) break;
  }
  return found.slice(0, limit);
}

/** The newest beat first. A host has one id in all stores. */
export async function hostsIn(stores: readonly RunStore[]): Promise<ListedHosts> {
  const lists = await Promise.all(stores.map(async (store) => store.hosts?.()));
  const hosts = new Map<string, ListedHosts["hosts"][number]>();
  for (const { id, isAlive, beatAgoMs, leftMs, runs, facts } of lists.flatMap((list) => list ?? []))
    hosts.set(id, {
      ...{ host: id, is_alive: isAlive, beat_ago_ms: beatAgoMs, lease_left_ms: leftMs },
      runs: runs + (hosts.get(id)?.runs ?? 0),
      ...{ pid: facts?.pid ?? null, machine: facts?.machine ?? null },
      axons: Object.entries(facts?.axons ?? {}).map(([name, version]) => ({ name, version })),
    });
  const newest = [...hosts.values()].sort((one, other) => one.beat_ago_ms - other.beat_ago_ms);
  return { hosts: newest, stores_unlisted: lists.filter((list) => list === undefined).length };
}

/** A store may return anything. */
export const traceIdOf = (trace: unknown): string | null => (isTraceMark(trace) ? trace.trace_id : null);

export const cancelOf = (
  request: Partial<RunCancelRequest> | undefined,
  isOperator: boolean,
): KeptRun["cancel"] =>
  request === undefined
    ? null
    : {
        ...{ reason: request.reason ?? "", at: request.at ?? null },
        actor: isOperator ? (request.actor ?? null) : null,
      };
