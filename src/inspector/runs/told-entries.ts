// The entries of a run's log as operators read them: which process made one, what it waits for, and
// what ended the wait. A signal's payload is masked by the schema of its kind.

import type { TSchema } from "@sinclair/typebox";
import type { RunEntry } from "#core/ports/run-store.js";
import type { RunWait, Woken } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import type { KeptRun } from "../api/runs.js";
import { waitOf } from "./listed-runs.js";

interface Telling {
  readonly isOperator: boolean;
  readonly schemaOf: (signal: string) => TSchema | undefined;
  readonly shown: (payload: Json, schema: TSchema | undefined) => KeptRun["input"];
}

export function toldEntries(entries: readonly RunEntry[], telling: Telling): KeptRun["entries"] {
  let epoch = 0;
  return entries.map((entry) => {
    if (entry.kind === "begun") epoch = entry.epoch ?? 1;
    if (entry.kind === "resumed") epoch += 1;
    const isClaim = entry.kind === "begun" || entry.kind === "resumed";
    return {
      ...{ kind: entry.kind, at: entry.at, node: "node" in entry ? entry.node : null },
      epoch: isClaim ? epoch : null,
      wait: entry.kind === "waiting" ? waitOf(waitIn(entry)) : null,
      woken: entry.kind === "resumed" && entry.woken ? wokenOf(entry.woken, telling) : null,
    };
  });
}

function wokenOf(
  woken: Woken,
  { isOperator, schemaOf, shown }: Telling,
): KeptRun["entries"][number]["woken"] {
  if (woken.by === "time")
    return { by: "time", signal: null, id: null, actor: null, payload: { kind: "off" } };
  const { name, id, actor, payload } = woken;
  const sender = isOperator ? (actor ?? null) : null;
  return {
    by: "signal",
    signal: name,
    id: id ?? null,
    actor: sender,
    payload: shown(payload, schemaOf(name)),
  };
}

/** Until when by the clock of the process that wrote it; the row of the run has the store's. */
export const waitIn = ({
  signals,
  due,
  inMs,
  at,
}: RunWait & { readonly at: number; readonly inMs?: number }): RunWait => {
  const until = due ?? (inMs === undefined ? undefined : at + inMs);
  return { ...(signals && { signals }), ...(until !== undefined && { due: until }) };
};
