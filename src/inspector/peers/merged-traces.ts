// The traces of all processes of a service as one list. Without peers, those of this process.

import { type Static, Type } from "@sinclair/typebox";

import { type Fault, isFault } from "#core/bus/outcome.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import { Count } from "../api/shapes.js";
import { Trace, type TraceDiff, type TraceQuery, TraceRow, type Traces } from "../api/traces.js";
import { diffOf } from "../traces/trace-diff.js";
import { DEFAULT_LIMIT, type TraceStore } from "../traces/trace-store.js";
import { USER_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import {
  compareShared,
  parseSharedCursor,
  type SharedPlace,
  sharedCursor,
  sharedPlace,
} from "./shared-place.js";
import { subject } from "./subject.js";

type Page = Static<typeof Traces>["data"];
type Diff = Static<typeof TraceDiff>["data"];
type Refused = Fault<InspectorFault>;

interface PlacedRow {
  readonly place: SharedPlace;
  readonly row: TraceRow;
}

/** One process's part of a page. */
interface Part {
  readonly rows: readonly PlacedRow[];
  readonly isMore: boolean;
  readonly kept: number;
  readonly dropped: number;
}

const PAGE = subject<Part>(
  "traces page",
  Type.Object({
    rows: Type.Array(
      Type.Object({
        place: Type.Object({ us: Type.Number(), process: Type.String(), seq: Count }),
        row: TraceRow,
      }),
    ),
    isMore: Type.Boolean(),
    kept: Count,
    dropped: Count,
  }),
);
const TRACE = subject<Trace>("trace", Trace);

export class MergedTraces {
  readonly #own: TraceStore;
  readonly #peers: Peers | undefined;

  /** Also answers the peers' requests for this process's traces. */
  constructor(own: TraceStore, peers: Peers | undefined) {
    this.#own = own;
    this.#peers = peers;
    peers?.answers(PAGE.about, (query) => this.#part(peers, query as TraceQuery));
    peers?.answers(TRACE.about, (runId) => own.get(runId as string));
  }

  /** CURSOR_INVALID if the cursor belongs to another order. */
  async query(query: TraceQuery): Promise<Page | Refused> {
    const peers = this.#peers;
    if (peers === undefined) {
      const page = this.#own.query(query);
      return isFault(page) ? page : { ...page, workers_silent: 0 };
    }
    const { order = "newest", limit = DEFAULT_LIMIT, cursor } = query;
    if (cursor !== undefined && parseSharedCursor(order, cursor) === undefined)
      return inspectorFault("CURSOR_INVALID", { detail: `Use the cursor of a page in the order '${order}'` });
    const { answers, silent } = await peers.askAll(PAGE, query, { waitMs: USER_WAIT_MS });
    const parts = [this.#part(peers, query), ...answers.map(({ value }) => value)];
    const found = parts.flatMap(({ rows }) => rows).sort((a, b) => compareShared(a.place, b.place));
    const page = found.slice(0, limit);
    const isMore = found.length > limit || parts.some((part) => part.isMore);
    const last = page.at(-1);
    return {
      traces: page.map(({ row }) => row),
      cursor: isMore && last !== undefined ? sharedCursor(order, last.place) : null,
      kept: sum(parts.map(({ kept }) => kept)),
      dropped: sum(parts.map(({ dropped }) => dropped)),
      workers_silent: silent,
    };
  }

  async get(runId: string): Promise<Trace | Refused> {
    const own = this.#own.get(runId);
    if (own !== undefined || this.#peers === undefined) return own ?? unknown(runId, 0);
    const options = { waitMs: USER_WAIT_MS, first: true };
    const { answers, silent } = await this.#peers.askAll(TRACE, runId, options);
    const [answer] = answers;
    return answer === undefined ? unknown(runId, silent) : answer.value;
  }

  /** Compares two runs, each in any of the processes. */
  async diff(a: string, b: string): Promise<Diff | Refused> {
    const [one, other] = await Promise.all([this.get(a), this.get(b)]);
    if (isFault(one)) return one;
    if (isFault(other)) return other;
    return diffOf(one, other, { hashes: sameProcess(a, b) });
  }

  #part({ id }: Peers, query: TraceQuery): Part {
    const { order = "newest", limit = DEFAULT_LIMIT, cursor } = query;
    const after = cursor === undefined ? undefined : parseSharedCursor(order, cursor);
    const placed = this.#own
      .matching(query)
      .map((run) => ({ place: sharedPlace(order, id, run), run }))
      .filter(({ place }) => after === undefined || compareShared(after, place) < 0)
      .sort((a, b) => compareShared(a.place, b.place));
    return {
      rows: placed.slice(0, limit).map(({ place, run }) => ({ place, row: run.row() })),
      isMore: placed.length > limit,
      kept: this.#own.size,
      dropped: this.#own.dropped,
    };
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** The prefix of a run id identifies its process (TracedRun.runId). */
const sameProcess = (a: string, b: string): boolean => a.split("-")[0] === b.split("-")[0];

const unknown = (runId: string, silent: number): Refused =>
  inspectorFault("TRACE_UNKNOWN", {
    detail:
      silent === 0
        ? `Run '${runId}' was evicted, was not sampled, or is still running`
        : `Run '${runId}' was not found; ${silent} of the workers did not answer in time, and may have it`,
  });
