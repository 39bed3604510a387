// What a run waits for, in the columns of its row. The signals that it has not taken are in that row
// too: one UPDATE of it decides about both, so that neither misses the other, whatever a snapshot of
// another table would show.
//
//   waits_for  the names as a JSON array, empty for one that sleeps; null for a run that does not wait
//   signals    each as `"name"number `, oldest first
//
// Names are percent-encoded there: without quotes and spaces.

import type { RunEntry } from "#core/ports/run-store.js";
import { MAX_SIGNALS, type RunWait } from "#core/ports/run-waits.js";
import type { Row, SqlDialect } from "./sql-database.js";

export const encodedName = (name: string): string => encodeURIComponent(name);
export const decodedName = (kept: string): string => decodeURIComponent(kept);

/** Whether the run has no owner behind this entry, and is due at a time or by a signal. */
export const isParked = (last: RunEntry): boolean =>
  last.kind === "waiting" || (last.kind === "begun" && last.continues !== undefined);

export function waitsForOf(last: RunEntry): string | null {
  if (!isParked(last)) return null;
  return JSON.stringify((last.kind === "waiting" ? last.signals : undefined)?.map(encodedName) ?? []);
}

/** A time, or below 0 the negative of one more than the milliseconds until then. Null: no time ends the wait. */
export function dueOf(last: RunEntry): number | null {
  if (!isParked(last)) return null;
  const { inMs, due, signals } =
    last.kind === "waiting" ? last : ({} as Extract<RunEntry, { kind: "waiting" }>);
  if (inMs !== undefined) return -1 - Math.max(0, Math.ceil(inMs));
  if (due !== undefined) return Math.max(0, Math.ceil(due));
  return signals === undefined ? -1 : null;
}

/** The signal that the entries take, as `signals` has it. */
export function takenOf(entries: readonly RunEntry[]): string | null {
  for (const entry of entries)
    if (entry.kind === "resumed" && entry.woken?.by === "signal")
      return `"${encodedName(entry.woken.name)}"${entry.woken.number} `;
  return null;
}

export const dueStored = (due: string, now: string): string =>
  `CASE WHEN ${due} < 0 THEN ${now} - ${due} - 1 ELSE ${due} END`;

/** `signals` without the one that is taken. */
const leftSignals = (taken: string, signals: string): string =>
  `coalesce(replace(${signals}, ${taken}, ''), ${signals})`;

/** SQL of a growing log: `given` are the parameters of the append, `kept` the columns of the row. */
export interface Growing extends Pick<SqlDialect, "now" | "listed"> {
  readonly given: (name: string) => string;
  readonly kept: (name: string) => string;
}

export const grownSignals = ({ given, kept }: Growing): string =>
  leftSignals(given("signals"), kept("signals"));

/** Due now if it waits for a signal that is there, or is to be cancelled. */
export function grownDue(growing: Growing): string {
  const { given, kept, now, listed } = growing;
  const signals = grownSignals(growing);
  const waitsFor = given("waits_for");
  const isThere = `EXISTS (WITH n (name) AS ${listed(waitsFor)}
    SELECT 1 FROM n WHERE replace(${signals}, '"' || n.name || '"', '') <> ${signals})`;
  return `CASE WHEN ${waitsFor} IS NULL THEN NULL WHEN ${kept("cancel")} IS NOT NULL THEN ${now}
    WHEN ${kept("signals")} <> '' AND ${waitsFor} <> '[]' AND ${isThere} THEN ${now}
    ELSE ${dueStored(given("due"), now)} END`;
}

/** Of an append, in RETURNING. */
export const isDue = (due: string, now: string): string =>
  `CASE WHEN ${due} IS NULL THEN 0 WHEN ${due} <= ${now} THEN 1 ELSE 0 END AS is_due`;

/** SQL of the time at which a run is due that ends its wait now: earlier if it was due already. */
export const dueNow = (now: string): string => `CASE WHEN due <= ${now} THEN due ELSE ${now} END`;

const END = '"run%3A';
const times = (part: string): string =>
  `(length(s.text) - length(replace(s.text, '${part}', ''))) / ${part.length}`;

/** SQL of whether a run `r` has room for one more. Those of ended runs do not count. */
export const HAS_ROOM = `(SELECT ${times(" ")} - ${times(END)} FROM (SELECT coalesce(r.signals, '') AS text) AS s) < ${MAX_SIGNALS}`;

export function waitIn({ waits_for: waitsFor, due }: Row): RunWait | undefined {
  if (typeof waitsFor !== "string") return undefined;
  const names = (JSON.parse(waitsFor) as readonly string[]).map(decodedName);
  return {
    ...(names.length > 0 && { signals: names }),
    ...(due !== null && { due: Number(due) }),
  };
}
