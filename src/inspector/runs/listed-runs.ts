// Rows of what stores list: unfinished runs and hosts.

import type { Static, TSchema } from "@sinclair/typebox";
import type { RunStateName } from "#core/ports/run-state.js";
import type { RunCancelRequest, RunStore } from "#core/ports/run-store.js";
import type { RunWait } from "#core/ports/run-waits.js";
import { isTraceMark } from "#core/timeline/trace-mark.js";
import type { DrainingRuns } from "#runtime/hosting/left-runs.js";
import type { ListedRun } from "#runtime/hosting/listed-runs.js";
import type { Hosts, KeptRun, UnfinishedRuns } from "../api/runs.js";

type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? D : never;
export type Unfinished = Data<typeof UnfinishedRuns>["runs"];
export type ListedHosts = Omit<Data<typeof Hosts>, "workers_silent">;

export const rowOf = (
  { run, state, unfit, isAlive }: Omit<ListedRun, "state"> & { readonly state: RunStateName },
  isOperator: boolean,
): Unfinished[number] => ({
  ...{ run_id: run.id, circuit: run.axon, state, node: run.node ?? null, began_at: run.began_at },
  ...{ last_at: run.at, unfit, trace_id: traceIdOf(run.trace), cancel: cancelOf(run.cancel, isOperator) },
  wait: waitOf(run.wait),
  owner: run.host === undefined ? null : { host: run.host, is_alive: isAlive },
  ...(run.labels && { labels: run.labels }),
});

/** The newest beat first. A host has one id in all stores. */
export async function hostsIn(
  stores: readonly RunStore[],
  draining: readonly DrainingRuns[],
): Promise<ListedHosts> {
  const lists = await Promise.all(stores.map(async (store) => store.hosts?.()));
  const hosts = new Map<string, ListedHosts["hosts"][number]>();
  for (const { id, isAlive, beatAgoMs, leftMs, runs, facts } of lists.flatMap((list) => list ?? []))
    hosts.set(id, {
      ...{ host: id, is_alive: isAlive, beat_ago_ms: beatAgoMs, lease_left_ms: leftMs },
      runs: runs + (hosts.get(id)?.runs ?? 0),
      ...{ pid: facts?.pid ?? null, machine: facts?.machine ?? null },
      ...{ name: facts?.name ?? null, version: facts?.version ?? null, began_at: facts?.began_at ?? null },
      axons: Object.entries(facts?.axons ?? {}).map(([name, version]) => ({ name, version })),
    });
  const newest = [...hosts.values()].sort((one, other) => one.beat_ago_ms - other.beat_ago_ms);
  return {
    hosts: newest,
    draining: draining.map(({ axon, version, way, count }) => ({ circuit: axon, version, way, runs: count })),
    stores_unlisted: lists.filter((list) => list === undefined).length,
  };
}

/** Without signals and without a time: it is due. */
export const waitOf = (wait: RunWait | undefined): KeptRun["wait"] =>
  wait === undefined ? null : { signals: [...(wait.signals ?? [])], until: wait.due ?? null };

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
