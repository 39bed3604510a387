// Runs as lists show them, each with its state, and whether its host lives: the unfinished ones of one
// Axon, and those of stores in every state, by pages. A cursor has the place in each store.

import type { ListedRun as RunInList, RunListFilter } from "#core/ports/run-list.js";
import type { UnfinishedState } from "#core/ports/run-state.js";
import type { RunFilter, RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import { waitState } from "../kept/waiting-run.js";
import { whyLeft, whyLeftWaiting } from "./left-runs.js";
import type { Hosted } from "./unfit-reason.js";

/** Of a list of one state: the runs that are looked through, by pages. */
const PAGE = 500;
const MAX_PAGES = 20;

export interface ListedRun {
  readonly run: UnfinishedRun;
  readonly state: UnfinishedState;
  /** Why no code of the asking process can resume it; null if it can, or a host runs it. */
  readonly unfit: string | null;
  /** Null if the store cannot tell. */
  readonly isAlive: boolean | null;
}

/** In the order in which they began. `axons` are what the asking process can resume; empty if it is no host. */
export async function listedRuns(
  store: RunStore,
  axons: Hosted["axons"],
  { limit, ...which }: RunFilter & { readonly limit: number },
  state?: UnfinishedState,
): Promise<readonly ListedRun[]> {
  const hosts = await store.hosts?.();
  const left = (run: UnfinishedRun) => (axons.length === 0 ? undefined : whyLeft(axons, run));
  const size = state === undefined ? limit : PAGE;
  const found: ListedRun[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES && found.length < limit; page += 1) {
    const filter = { ...which, limit: size, ...(after && { after }) };
    const runs = await store.unfinished(filter);
    const abandoned = runs.some((run) => run.wait === undefined && left(run) !== undefined)
      ? await store.unfinished({ ...filter, abandoned: true })
      : [];
    const ids = new Set(abandoned.map(({ id }) => id));
    for (const run of runs) {
      const marked = run.unfit ?? (ids.has(run.id) ? left(run) : undefined);
      const unfit = (run.wait && left(run) ? whyLeftWaiting(axons, run, hosts) : marked) ?? null;
      const now = run.stuck ? "stuck" : unfit !== null ? "unfit" : run.wait ? waitState(run.wait) : "running";
      const isAlive = hosts?.some(({ id, isAlive }) => id === run.host && isAlive) ?? null;
      if (now === (state ?? now)) found.push({ run, state: now, unfit, isAlive });
    }
    after = runs.at(-1)?.place;
    if (runs.length < size || after === undefined) break;
  }
  return found.slice(0, limit);
}

interface RunPage {
  readonly runs: readonly { readonly run: RunInList; readonly isAlive: boolean | null }[];
  /** Undefined behind the last page. */
  readonly cursor: string | undefined;
}

/** The place behind which each store is read; null: all of it was. */
type Places = readonly (string | null)[];
const BEGINNING = "";

/** The newest first. `stores` have `list`. Undefined for a cursor that is none of these stores. */
export async function runPage(
  stores: readonly RunStore[],
  filter: RunListFilter,
  cursor: string | undefined,
): Promise<RunPage | undefined> {
  const { limit } = filter;
  const places = placesIn(cursor, stores.length);
  if (places === undefined) return undefined;
  const pages = await Promise.all(
    stores.map(async (store, n) => {
      const after = places[n];
      if (after === null) return [];
      const runs = (await store.list?.({ ...filter, ...(after && { after }) })) ?? [];
      const hosts = await store.hosts?.();
      const isAlive = ({ host }: RunInList) => hosts?.some((one) => one.id === host && one.isAlive) ?? null;
      return runs.map((run) => ({ run, n, isAlive: isAlive(run) }));
    }),
  );
  const runs = pages
    .flat()
    .sort((one, other) => other.run.began_at - one.run.began_at)
    .slice(0, limit);
  const next = pages.map((page, n) => {
    const own = runs.filter((each) => each.n === n);
    const isRead = own.length === page.length && page.length < limit;
    return isRead ? null : (own.at(-1)?.run.place ?? places[n] ?? BEGINNING);
  });
  const isLast = next.every((place) => place === null);
  return { runs, cursor: isLast ? undefined : Buffer.from(JSON.stringify(next)).toString("base64url") };
}

function placesIn(cursor: string | undefined, count: number): Places | undefined {
  if (cursor === undefined) return Array.from({ length: count }, () => BEGINNING);
  try {
    const places: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const isPlace = (place: unknown) => place === null || typeof place === "string";
    return Array.isArray(places) && places.length === count && places.every(isPlace) ? places : undefined;
  } catch {
    return undefined;
  }
}
