// Runs of stores in every state, the newest first, by pages.

import type { Static, TSchema } from "@sinclair/typebox";
import { labelIn } from "#core/bus/label.js";
import type { Fault } from "#core/bus/outcome.js";
import type { RunListFilter } from "#core/ports/run-list.js";
import type { RunStore } from "#core/ports/run-store.js";
import { runPage } from "#runtime/hosting/listed-runs.js";
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

export async function runList(
  { stores, axons, release, isOperator }: Asked,
  { state, label, subject, since, until, limit = 100, cursor }: RunListQuery,
): Promise<Omit<Listed, "workers_silent"> | Fault<InspectorFault>> {
  const listing = stores.filter(({ list }) => list !== undefined);
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
  const page = await runPage(listing, filter, cursor);
  if (page === undefined) return inspectorFault("CURSOR_INVALID");
  return {
    runs: page.runs.map(({ run, isAlive }) => ({
      ...rowOf({ run, state: run.state, unfit: run.unfit ?? null, isAlive }, isOperator),
      ended_at: run.ended_at ?? null,
    })),
    cursor: page.cursor ?? null,
    stores_unlisted: stores.length - listing.length,
  };
}
