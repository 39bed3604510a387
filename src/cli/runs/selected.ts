// Which runs or letters a command acts on: ids, or all that a filter finds.

import { aligned } from "#config/aligned.js";
import { RUN_STATE_NAMES, RUN_STATES, type RunStateName } from "#core/ports/run-state.js";
import { isKeptRunId } from "#core/ports/run-store.js";
import { visible } from "#core/wire/visible-text.js";
import { type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { told } from "./opened.js";
import { FILTERS, filterIn, timesIn, wholeIn } from "./options.js";
import type { Place } from "./place.js";

const DEFAULT_LIMIT = 1000;
const PAGE = 500;

/** The states of runs with which an action can do anything. */
const STATES: Readonly<Record<string, readonly RunStateName[]>> = {
  resume: ["running", "stuck", "unfit"],
  wake: ["waiting", "sleeping"],
  cancel: RUN_STATE_NAMES.filter((state) => !RUN_STATES[state].isOver),
  forget: RUN_STATE_NAMES.filter((state) => RUN_STATES[state].isOver),
};

interface Found {
  readonly id: string;
  readonly axon: string;
  readonly state: string;
}

/** Throws a UsageError with their number where --yes is missing. */
export async function selectedIds(
  kind: string,
  given: Given,
  surroundings: Surroundings,
  place: Place,
): Promise<readonly string[]> {
  const ids = [...new Set(given.operands)];
  for (const id of ids) requireId(id);
  const isLetter = kind === "redrive" || kind === "discard";
  const filters = FILTERS.filter((name) => given.text(name) !== undefined);
  if (ids.length > 0 && filters.length > 0) throw new UsageError(`give ids or --${filters[0]}, not both`);
  if (ids.length === 0 && filters.length === 0)
    throw new UsageError(`give ids, or a filter: ${isLetter ? "--axon" : "--axon, --state, --label"}`);
  if (ids.length === 1 && kind !== "discard") return ids;
  const limit = wholeIn(given, "limit", DEFAULT_LIMIT);
  const found =
    ids.length > 0
      ? []
      : isLetter
        ? await foundLetters(place, given, limit)
        : await foundRuns(kind, place, given, limit);
  const count = ids.length || found.length;
  const tell = told(given, surroundings);
  for (const line of aligned(counted(found))) tell(`${line}\n`);
  const more = found.length === limit ? `: there may be more, --limit is ${limit}` : "";
  tell(`${count} ${isLetter ? "dead letter" : "run"}${count === 1 ? "" : "s"}${more}\n`);
  if (count > 0 && !given.flag("yes")) throw new UsageError("nothing was done: add --yes");
  return ids.length > 0 ? ids : found.map(({ id }) => id);
}

export function requireId(id: string): void {
  const isId: boolean = isKeptRunId(id);
  if (!isId) throw new UsageError(`'${visible(id.slice(0, 200))}' is no id: it has 1 to 200 characters`);
}

async function foundRuns(kind: string, place: Place, given: Given, limit: number): Promise<readonly Found[]> {
  const states = STATES[kind] ?? RUN_STATE_NAMES;
  const { states: wanted = states, ...filter } = filterIn(given, Math.min(limit, PAGE), states);
  const found: Found[] = [];
  // A state at a time: an Inspector takes one.
  for (const state of wanted) {
    let cursor: string | undefined;
    do {
      const page = await place.list({ ...filter, states: [state] }, cursor);
      found.push(...(page?.runs.map(({ run_id: id, axon }) => ({ id, axon, state })) ?? []));
      cursor = page?.cursor ?? undefined;
    } while (cursor !== undefined && found.length < limit);
  }
  return found.slice(0, limit);
}

async function foundLetters(place: Place, given: Given, limit: number): Promise<readonly Found[]> {
  const axon = given.text("axon");
  const letters = await place.letters({ limit, ...timesIn(given), ...(axon !== undefined && { axon }) });
  return letters.map(({ id, axon: of, kind }) => ({ id, axon: of, state: kind }));
}

function counted(found: readonly Found[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  for (const { axon, state } of found) {
    const key = JSON.stringify([axon, state]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const [axon, state] = JSON.parse(key) as readonly [string, string];
    return [visible(axon), state, String(count)];
  });
}
