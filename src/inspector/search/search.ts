// One search over all that the Inspector of a process has. Facts come first (facts.ts), then the
// texts that stored runs show, the newest run first: as the caller's role sees them, so that a
// hit reveals nothing else. At most MAX_BYTES of runs are searched at once; a cursor continues.

import { labelIn } from "#core/bus/label.js";
import { type Fault, isFault } from "#core/bus/outcome.js";
import { Turns } from "#core/loop-turns.js";
import { visible } from "#core/wire/visible-text.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { Found, Hit, SearchQuery } from "../api/search.js";
import type { Data } from "../api/shapes.js";
import type { Payload, Trace } from "../api/traces.js";
import type { DeadLetters } from "../dead-letters/dead-letters.js";
import type { Caller } from "../door/caller.js";
import type { KeptRuns } from "../runs/kept-runs.js";
import { forViewers } from "../traces/kept-trace.js";
import type { CaptureMode } from "../traces/payload-capture.js";
import { comparePlaces, cursorText, type Place, parseCursor, placeOf } from "../traces/trace-cursor.js";
import type { TraceStore } from "../traces/trace-store.js";
import { MAX_UNMATCHED, type Unmatched } from "../unmatched/unmatched.js";
import { type DurableRow, durableHit, letterHit, runHit, titleOf, unmatchedHit } from "./facts.js";
import { leafWith } from "./text-in.js";

export type Answer = Data<typeof Found>;
type Store = Answer["failed"][number];

interface DurableRuns extends Pick<KeptRuns, "unfinished"> {
  readonly show: (id: string) => Promise<DurableRow | Fault<InspectorFault>>;
}

export interface Searched {
  readonly traces: Pick<TraceStore, "newest" | "row" | "trace">;
  readonly unmatched?: Pick<Unmatched, "list"> | undefined;
  readonly runs?: DurableRuns | undefined;
  readonly deadLetters?: Pick<DeadLetters, "list" | "find"> | undefined;
  readonly capture: CaptureMode;
  readonly turns?: Turns;
}

const DEFAULT_LIMIT = 20;
/** Of the runs, as the store estimates them. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Of a store's list, the oldest. */
const MAX_LISTED = 200;
/** Of each of the two passes: the other processes are waited for 1.5 s. */
const FOR_MS = 500;

export class Search {
  readonly #of: Searched;
  readonly #turns: Turns;

  constructor(of: Searched) {
    this.#of = of;
    this.#turns = of.turns ?? new Turns();
  }

  async find(query: SearchQuery, { role }: Pick<Caller, "role">): Promise<Answer | Fault<InspectorFault>> {
    const { q, in: within = "all", limit = DEFAULT_LIMIT, cursor } = query;
    const { capture } = this.#of;
    const wanted = q.trim().toLowerCase();
    const after = cursor === undefined ? undefined : parseCursor("newest", cursor);
    if (cursor !== undefined && after === undefined) return inspectorFault("CURSOR_INVALID");
    const failed: Store[] = [];
    const facts = after === undefined ? await this.#facts(q.trim(), failed) : [];
    facts.sort(byRank).splice(limit);
    const listed = new Set(facts.map(({ id }) => id));
    const isSearched = within === "all" && capture !== "hash";
    const all = isSearched ? this.#of.traces.newest(after) : [];
    const texts: Hit[] = [];
    let searched = 0;
    const taken = await this.#turns.each(all, FOR_MS, ({ number, bytes }) => {
      if (texts.length === limit || (searched > 0 && searched + bytes > MAX_BYTES)) return false;
      searched += bytes;
      const trace = this.#of.traces.trace(number);
      if (trace === undefined || listed.has(trace.run.run_id)) return true;
      const hit = textHit(role === "operator" ? trace : forViewers(trace), wanted);
      if (hit !== undefined) texts.push(hit);
      return true;
    });
    const last = taken < all.length ? all[taken - 1]?.place : undefined;
    return { facts, texts, capture, ...untilOf(last), failed, workers_silent: 0 };
  }

  async #facts(q: string, failed: Store[]): Promise<Hit[]> {
    const { traces, unmatched, runs, deadLetters } = this.#of;
    const wanted = q.toLowerCase();
    const found: (Hit | undefined)[] = [];
    await this.#turns.each(traces.newest(), FOR_MS, ({ number }) => {
      const row = traces.row(number);
      if (row !== undefined) found.push(runHit(row, wanted));
      return true;
    });
    const { requests = [] } = unmatched?.list({ limit: MAX_UNMATCHED }) ?? {};
    found.push(...requests.map((request) => unmatchedHit(request, wanted)));
    const letters = (await deadLetters?.list({ limit: MAX_LISTED }, false)) ?? [];
    if (isFault(letters)) failed.push("letter");
    else found.push(...letters.map((letter) => letterHit(letter, wanted)));
    // It may be beyond the list.
    const letter = isFault(letters) || letters.length < MAX_LISTED ? undefined : await deadLetters?.find(q);
    if (letter !== undefined) found.push(letterHit(letter, wanted));
    try {
      const rows = runs === undefined ? [] : await durableRows(runs, q);
      for (const row of rows) found.push(durableHit(row, wanted));
    } catch {
      failed.push("durable_run");
    }
    return found.filter((hit) => hit !== undefined);
  }
}

/** Of a long list also those with the whole label, and the run of the whole id, ended or not. */
async function durableRows(runs: DurableRuns, q: string): Promise<Iterable<DurableRow>> {
  const label = labelIn(q) === undefined ? [] : [{ label: q, limit: MAX_LISTED }];
  const lists = await Promise.all([{ limit: MAX_LISTED }, ...label].map((query) => runs.unfinished(query)));
  const one = await runs.show(q);
  const rows: readonly DurableRow[] = isFault(one) ? lists.flat() : [one, ...lists.flat()];
  return new Map(rows.map((row) => [row.run_id, row])).values();
}

/** Whole ids and names first, then the newest. */
const byRank = (one: Hit, other: Hit): number =>
  Number(other.is_whole) - Number(one.is_whole) || other.at - one.at;

const shownIn = (payload: Payload): unknown => (payload.kind === "full" ? payload.value : undefined);

/** A part of the request or the response. */
function shownPart(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("kind" in value)) return value;
  if ("value" in value) return value.value;
  return "text" in value ? value.text : undefined;
}

/** In the texts of a run as its page shows them. */
function textHit({ run, nodes, bus, exchange, logs, error }: Trace, wanted: string): Hit | undefined {
  const places: [string, unknown][] = [];
  for (const { node, input, output } of nodes)
    places.push(["node", node], [`input of ${node}`, shownIn(input)], [`output of ${node}`, shownIn(output)]);
  for (const { key, value } of bus) places.push(["key of the Bus", key], [key, shownIn(value)]);
  for (const [part, members] of Object.entries(exchange ?? {}))
    for (const [name, value] of Object.entries(members))
      if (name !== "state" && name !== "unread") places.push([`${part} ${name}`, shownPart(value)]);
  places.push(["log", logs], ["exception", error], ["reason", run.fault?.detail]);
  for (const [by, value] of places) {
    const leaf = leafWith(value, wanted);
    if (leaf === undefined) continue;
    const { run_id: id, ended_at: at } = run;
    return {
      kind: "run",
      id,
      title: titleOf(run),
      by: leaf.pointer === "" ? by : `${by}, ${visible(leaf.pointer)}`,
      text: leaf.text,
      is_whole: false,
      at,
    };
  }
  return undefined;
}

const untilOf = (place: Place | undefined): Pick<Answer, "searched_until" | "cursor"> => ({
  searched_until: place === undefined ? null : place.endedUs / 1000,
  cursor: place === undefined ? null : cursorText("newest", place),
});

const placeOfHit = ({ id, at }: Hit): Place =>
  placeOf("newest", { run_id: id, ended_at: at, duration_us: 0 });

/** Of all processes: texts of runs as new as the oldest that each of them has searched. */
export function mergedHits(answers: readonly [Answer, ...Answer[]], limit = DEFAULT_LIMIT): Answer {
  const facts = answers.flatMap((answer) => answer.facts).sort(byRank);
  const [until] = answers
    .flatMap(({ cursor }) => (cursor === null ? [] : [parseCursor("newest", cursor)]))
    .filter((place) => place !== undefined)
    .sort(comparePlaces);
  const texts = answers
    .flatMap((answer) => answer.texts)
    .filter((hit) => until === undefined || comparePlaces(placeOfHit(hit), until) <= 0)
    .sort((one, other) => comparePlaces(placeOfHit(one), placeOfHit(other)));
  const last = texts.length > limit ? placeOfHit(texts[limit - 1] as Hit) : until;
  return {
    ...answers[0],
    ...{ facts: facts.slice(0, limit), texts: texts.slice(0, limit), ...untilOf(last) },
    failed: [...new Set(answers.flatMap(({ failed }) => failed))],
  };
}
