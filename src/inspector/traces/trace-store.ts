// The traced runs that are kept in memory. Half of the bounds is the newest runs', a quarter
// the slowest ones' of each circuit, a quarter the faulted ones' of each cause
// (trace-shares.ts); a run in several shares counts in each. Beyond a number a second the
// newest, and the faults of one cause, are taken evenly spread: all of 30 000 would be those
// of the last 30 ms, and most of what tracing costs.

import type { Static } from "@sinclair/typebox";

import { hasLabel, labelIn } from "#core/bus/label.js";
import type { Fault } from "#core/bus/outcome.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { isSelected } from "../api/run-filter.js";
import type { Trace, TraceQuery, TraceRow, Traces } from "../api/traces.js";
import type { InspectorRole } from "../door/bearer-auth.js";
import { Allowance, Allowances } from "./allowance.js";
import type { DrawnNodes } from "./drawn-nodes.js";
import { type KeptTrace, type RunSummary, rowOf, traceOf } from "./kept-trace.js";
import { shownClient } from "./pseudonym.js";
import { comparePlaces, cursorText, type Place, parseCursor, placeOf } from "./trace-cursor.js";
import { FaultedShare, NewestShare, type Share, SlowestShare } from "./trace-shares.js";

export interface TraceStoreOptions {
  readonly nodes: DrawnNodes;
  /** Default 2000. */
  readonly maxTraces?: number;
  /** As estimated, rather too high. Default 64 MiB. */
  readonly maxBytes?: number;
  /** How long a run is one of the slowest. Default an hour. */
  readonly slowestForMs?: number;
  /** Runs wanted in a second, beside those that faulted or are slow. Default 250. */
  readonly newestPerSecond?: number;
  /** Faulted runs wanted in a second, of each cause. Default 100. */
  readonly faultedPerSecond?: number;
  /** When a run ended, in milliseconds. Default: by when it began, and how long it took. */
  readonly endOf?: (run: RunSummary) => number;
}

type Page = Static<typeof Traces>["data"];

/** A run of the store. */
export interface Stored {
  readonly number: number;
  readonly bytes: number;
  readonly place: Place;
}

interface Entry {
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly kept: KeptTrace;
  /** Shares that hold it. */
  shares: number;
}

export const DEFAULT_LIMIT = 50;
const NONE: readonly KeptTrace[] = [];
/** Limit of distinct causes. */
const MAX_CAUSES = 1000;

export class TraceStore {
  /** Runs that were evicted or not wanted, since the store was made. */
  dropped = 0;
  /** Of the kept runs, as estimated. */
  bytes = 0;
  readonly #nodes: DrawnNodes;
  readonly #sharesOf: () => { readonly slowest: SlowestShare; readonly all: readonly Share[] };
  #slowest: SlowestShare;
  #shares: readonly Share[];
  readonly #newest: Allowance;
  readonly #faulted: Allowances;
  readonly #endOf: (run: RunSummary) => number;
  /** By the runs' numbers in this process, the oldest first: the text of a run's id is made when it is read. */
  readonly #entries = new Map<number, Entry>();

  #endedUs = 0;

  constructor(options: TraceStoreOptions) {
    const { nodes, maxTraces = 2000, maxBytes = 64 * 1024 * 1024 } = options;
    const { slowestForMs = 3_600_000, newestPerSecond = 250, faultedPerSecond = 100 } = options;
    this.#nodes = nodes;
    const part = (share: number) => ({
      maxTraces: Math.floor(maxTraces * share),
      maxBytes: Math.floor(maxBytes * share),
    });
    this.#sharesOf = () => {
      const slowest = new SlowestShare(part(1 / 4), slowestForMs);
      return { slowest, all: [new NewestShare(part(1 / 2)), slowest, new FaultedShare(part(1 / 4))] };
    };
    ({ slowest: this.#slowest, all: this.#shares } = this.#sharesOf());
    this.#endOf = options.endOf ?? (({ startedAt, durationUs }) => startedAt + durationUs / 1000);
    this.#newest = new Allowance(part(1 / 2).maxTraces, newestPerSecond);
    this.#faulted = new Allowances(MAX_CAUSES, () => new Allowance(part(1 / 4).maxTraces, faultedPerSecond));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether to add a run that has not faulted, before anything is made of it. */
  wants(run: RunSummary): boolean {
    // By when it ends: runs that overlap have begun in any order.
    return this.#isWanted(this.#newest.take(this.#endOf(run)), run);
  }

  /** The same for a faulted run; `cause` distinguishes faults. */
  wantsFaulted(cause: string, run: RunSummary): boolean {
    return this.#isWanted(this.#faulted.take(`${run.circuit} ${cause}`, this.#endOf(run)), run);
  }

  #isWanted(isAllowed: boolean, run: RunSummary): boolean {
    if (isAllowed || this.#slowest.wants(run)) return true;
    this.dropped += 1;
    return false;
  }

  /** Returns the evicted runs, including the given one if it was rejected. */
  add(kept: KeptTrace): readonly KeptTrace[] {
    // A run that is recorded twice is one run: the first stays.
    if (this.#entries.has(kept.number)) return [kept];
    // Each run ends a microsecond after the one before it at least, also where a clock was set back.
    this.#endedUs = Math.max(this.#endedUs + 1, Math.round(kept.startedAt * 1000 + kept.durationUs));
    const endedAt = this.#endedUs / 1000;
    this.#entries.set(kept.number, { kept, endedAt, shares: this.#shares.length });
    this.bytes += kept.bytes;
    let released: KeptTrace[] | undefined;
    for (const share of this.#shares)
      for (const one of share.offer(kept)) {
        if (!this.#release(one)) continue;
        released ??= [];
        released.push(one);
      }
    return released ?? NONE;
  }

  /** Drops all runs. Returns how many. */
  clear(): number {
    const count = this.#entries.size;
    this.#entries.clear();
    this.bytes = 0;
    ({ slowest: this.#slowest, all: this.#shares } = this.#sharesOf());
    return count;
  }

  /** By its number in this process. */
  holds(number: number): boolean {
    return this.#entries.has(number);
  }

  /** By its number in this process: the feed asks thousands of times. */
  row(number: number): TraceRow | undefined {
    const entry = this.#entries.get(number);
    return entry && rowOf(entry.kept, this.#nodes, entry.endedAt);
  }

  /** By its number in this process. */
  trace(number: number): Trace | undefined {
    const entry = this.#entries.get(number);
    return entry && traceOf(entry.kept, this.#nodes, entry.endedAt);
  }

  /** Runs that were refused, and ended since then. */
  refused(since: number): readonly KeptTrace[] {
    return [...this.#entries.values()]
      .filter(({ kept, endedAt }) => endedAt >= since && isSelected({ outcome: "refused" }, kept))
      .map(({ kept }) => kept);
  }

  /** The runs that ended before a place, the newest first. A run may be released before it is read. */
  newest(after?: Place): readonly Stored[] {
    return [...this.#entries.values()]
      .map(({ kept, endedAt }) => ({
        ...{ number: kept.number, bytes: kept.bytes },
        place: placeOf("newest", placed(kept, endedAt)),
      }))
      .filter(({ place }) => after === undefined || comparePlaces(after, place) < 0)
      .reverse();
  }

  get(runId: string): Trace | undefined {
    const entry = this.#entryOf(runId);
    return entry && traceOf(entry.kept, this.#nodes, entry.endedAt);
  }

  /** As it is stored. */
  kept(runId: string): KeptTrace | undefined {
    return this.#entryOf(runId)?.kept;
  }

  #entryOf(runId: string): { readonly kept: KeptTrace; readonly endedAt: number } | undefined {
    for (const entry of this.#entries.values()) if (entry.kept.runId === runId) return entry;
    return undefined;
  }

  /** CURSOR_INVALID if the cursor is of another order. A viewer finds clients by their pseudonyms. */
  query(query: TraceQuery, role: InspectorRole = "viewer"): Page | Fault<InspectorFault> {
    const { order = "newest", limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : parseCursor(order, cursor);
    if (cursor !== undefined && after === undefined)
      return inspectorFault("CURSOR_INVALID", { detail: `Use the cursor of a page in the order '${order}'` });
    const found = [...this.#entries.values()]
      .filter(({ kept }) => matches(kept, query, role))
      .map(({ kept, endedAt }) => ({ kept, endedAt, place: placeOf(order, placed(kept, endedAt)) }))
      .filter(({ place }) => after === undefined || comparePlaces(after, place) < 0)
      .sort((one, other) => comparePlaces(one.place, other.place));
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return {
      traces: page.map(({ kept, endedAt }) => rowOf(kept, this.#nodes, endedAt)),
      cursor: last === undefined ? null : cursorText(order, last.place),
      kept: this.#entries.size,
      dropped: this.dropped,
      workers_silent: 0,
    };
  }

  /** One share has released it. Returns true if it was the last one. */
  #release({ number, bytes }: KeptTrace): boolean {
    const entry = this.#entries.get(number) as Entry;
    entry.shares -= 1;
    if (entry.shares > 0) return false;
    this.#entries.delete(number);
    this.bytes -= bytes;
    this.dropped += 1;
    return true;
  }
}

const placed = ({ runId, durationUs }: KeptTrace, endedAt: number) => ({
  run_id: runId,
  ended_at: endedAt,
  duration_us: durationUs,
});

function matches(kept: KeptTrace, query: TraceQuery, role: InspectorRole): boolean {
  const { circuit, route, node, status, min_duration_us: least = 0, request_id: requestId, label } = query;
  const { pointer, client } = query;
  const { request } = kept;
  return (
    kept.durationUs >= least &&
    (circuit === undefined || kept.circuit === circuit) &&
    (status === undefined || kept.status === status) &&
    (client === undefined || shownClient(kept.exchange, role) === client) &&
    (pointer === undefined || kept.fault?.pointers?.includes(pointer) === true) &&
    isSelected(query, kept) &&
    (label === undefined || hasLabel(kept.labels, labelIn(label))) &&
    (requestId === undefined || request?.request_id === requestId || request?.trace_id === requestId) &&
    (route === undefined || (request !== null && `${request.method} ${request.route}` === route)) &&
    (node === undefined || kept.fault?.node === node || kept.events.some((event) => event.node === node))
  );
}
