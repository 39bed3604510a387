// The entries of a run's log as operators read them: which process made one, what it waits for, and
// what ended the wait. A signal's payload is masked by the schema of its kind.

import type { TSchema } from "@sinclair/typebox";
import type { RunEntry } from "#core/ports/run-store.js";
import type { Woken } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import { historyIn, type RunEvent } from "#runtime/kept/run-history.js";
import type { KeptRun } from "../api/runs.js";
import { waitOf } from "./listed-runs.js";

interface Telling {
  readonly isOperator: boolean;
  readonly schemaOf: (signal: string) => TSchema | undefined;
  readonly shown: (payload: Json, schema: TSchema | undefined) => KeptRun["input"];
}

export function toldEntries(entries: readonly RunEntry[], telling: Telling): KeptRun["entries"] {
  const history = historyIn(entries);
  return entries.map((entry, n) => {
    const { kind, at, node, epoch, wait } = history[n] as RunEvent;
    return {
      ...{ kind, at, node: node ?? null, epoch: epoch ?? null, wait: waitOf(wait) },
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
