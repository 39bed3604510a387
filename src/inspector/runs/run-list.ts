// Runs of stores in every state, the newest first, by pages. A cursor has the place in each store.

import type { Static, TSchema } from "@sinclair/typebox";
import { labelIn } from "#core/bus/label.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import type { ListedRun, RunListFilter } from "#core/ports/run-list.js";
import type { RunStore } from "#core/ports/run-store.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { RunList, RunListQuery } from "../api/runs.js";
import { rowOf } from "./listed-runs.js";

type Data<S extends TSchema> = Static<S> extends { readonly data: infer D } ? D : never;
export type Listed = Data<typeof RunList>;

interface Asked {
  readonly stores: readonly RunStore[];
  readonly axons: readonly string[];
  readonly release: string | undefined;
  readonly isOperator: boolean;
}

/** The place behind which each store is read; null: all of it was. */
type Places = readonly (string | null)[];
const BEGINNING = "";

export async function runList(
  { stores, axons, release, isOperator }: Asked,
  { state, label, subject, since, until, limit = 100, cursor }: RunListQuery,
): Promise<Omit<Listed, "workers_silent"> | Fault<InspectorFault>> {
  const listing = stores.filter(({ list }) => list !== undefined);
  const places = placesIn(cursor, listing.length);
  if (isFault(places)) return places;
  const wanted = label === undefined ? undefined : labelIn(label);
  const filter: RunListFilter = {
    ...{ axons, limit },
    ...(state !== undefined && { states: [state] }),
    ...(wanted !== undefined && { label: wanted }),
    ...(subject !== undefined && { subject }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(release !== undefined && { release }),
  };
  const pages = await Promise.all(
    listing.map(async (store, n) => {
      const after = places[n];
      if (after === null) return [];
      const runs = (await store.list?.({ ...filter, ...(after && { after }) })) ?? [];
      const hosts = await store.hosts?.();
      return runs.map((run) => ({ run, n, isAlive: hosts?.some(isHostOf(run)) ?? null }));
    }),
  );
  const shown = pages
    .flat()
    .sort((one, other) => other.run.began_at - one.run.began_at)
    .slice(0, limit);
  const next = pages.map((page, n) => {
    const own = shown.filter((each) => each.n === n);
    const isRead = own.length === page.length && page.length < limit;
    return isRead ? null : (own.at(-1)?.run.place ?? places[n] ?? BEGINNING);
  });
  return {
    runs: shown.map(({ run, isAlive }) => ({
      ...rowOf({ run, state: run.state, unfit: run.unfit ?? null, isAlive }, isOperator),
      ended_at: run.ended_at ?? null,
    })),
    cursor: next.every((place) => place === null)
      ? null
      : Buffer.from(JSON.stringify(next)).toString("base64url"),
    stores_unlisted: stores.length - listing.length,
  };
}

const isHostOf =
  (run: ListedRun) =>
  ({ id, isAlive }: { readonly id: string; readonly isAlive: boolean }): boolean =>
    id === run.host && isAlive;

function placesIn(cursor: string | undefined, count: number): Places | Fault<InspectorFault> {
  if (cursor === undefined) return Array.from({ length: count }, () => BEGINNING);
  try {
    const places: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const isPlace = (place: unknown) => place === null || typeof place === "string";
    if (Array.isArray(places) && places.length === count && places.every(isPlace)) return places;
  } catch {
    // Answered below.
  }
  return inspectorFault("CURSOR_INVALID");
}
