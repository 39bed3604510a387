import { hasLabel, type RunLabels } from "#core/bus/label.js";
import { type Clock, systemClock } from "#core/clock.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { type ListedRun, outcomeOf, type RunChoice, type RunListFilter } from "#core/ports/run-list.js";
import type { RunStateName } from "#core/ports/run-state.js";
import {
  type Appended,
  type HostFacts,
  type HostLease,
  LONGEST_RETRY_MS,
  type RunCancelRequest,
  type RunCount,
  type RunEntry,
  type RunFilter,
  type RunGlance,
  type RunOwnership,
  type RunStore,
  type UnfinishedRun,
} from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import { isParked, MemoryWaits, type WaitingLog } from "./memory-waits.js";

export interface MemoryRunsOptions {
  /** Maximum number of runs. Beyond it the run that ended first is evicted; if none has ended, no run begins. Default 10 000. */
  readonly maxRuns?: number;
  /** For tests. Default: the clock of the process. */
  readonly clock?: Clock;
}

/** Number of releases that are known to be unfit for a run. */
const MAX_RELEASES = 4;
/** Number of hosts that are known to have left. */
const MAX_LEFT = 1000;

interface Lease {
  readonly until: number;
  readonly beatAt: number;
  readonly facts: HostFacts | undefined;
}

interface Log extends WaitingLog {
  /** Each entry as text: later changes of a value do not change the log. */
  readonly entries: string[];
  /** Number of entries before them: those of the logs that it continues. */
  before: number;
  /** In the order of their beginning. */
  readonly place: number;
  readonly axon: string;
  readonly beganAt: number;
  readonly subject: string | undefined;
  version: string;
  node: string | undefined;
  at: number;
  isStuck: boolean;
  /** Before this time no other host takes the run. By the clock of the store, as `endedAt`. */
  retryAt: number;
  endedAt: number;
  /** Why no code of these releases can resume it. */
  unfit: { readonly reason: string; readonly releases: readonly string[] } | undefined;
  trace: TraceMark | undefined;
  host: string | undefined;
  cancel: RunCancelRequest | undefined;
  labels: RunLabels | undefined;
}

/** Run logs in the memory of this process: for tests, and for runs that need not survive the process. */
export class MemoryRuns implements RunStore {
  readonly perProcess = "its runs in memory, which other processes cannot resume";
  readonly findsLabels = true;
  readonly waits: MemoryWaits<Log>;
  readonly #maxRuns: number;
  readonly #clock: Clock;
  // In order of their beginning, and of their end.
  readonly #unfinished = new Map<string, Log>();
  readonly #ended = new Map<string, Log>();
  /** By host. */
  readonly #leases = new Map<string, Lease>();
  readonly #left = new Set<string>();
  /** Number of logs that began: the place of the newest. */
  #begun = 0;

  constructor(options: MemoryRunsOptions = {}) {
    requireKnownOptions("MemoryRuns", options, ["maxRuns", "clock"]);
    const { maxRuns = 10_000, clock = systemClock } = options;
    if (!Number.isSafeInteger(maxRuns) || maxRuns < 1)
      throw invalidOption(`MemoryRuns({ maxRuns: ${maxRuns} })`, "use a whole number from 1");
    this.#maxRuns = maxRuns;
    this.#clock = clock;
    // Times at which runs are due are given as dates.
    const now = clock === systemClock ? Date.now : clock.now;
    this.waits = new MemoryWaits({
      ...{ unfinished: this.#unfinished, ended: this.#ended, now, entriesOf: lengthOf },
    });
  }

  readonly append = (
    id: string,
    known: number,
    entries: readonly RunEntry[],
    by?: string,
  ): boolean | Appended => {
    const log = this.#logOf(id);
    const texts = entries.map((entry) => JSON.stringify(entry));
    const last = entries.at(-1);
    if ((log === undefined ? 0 : lengthOf(log)) !== known) {
      const isOwn = log?.wait !== undefined || (by !== undefined && by === log?.host);
      return log !== undefined && isOwn && isLast(log, known, texts);
    }
    if (last === undefined) return true;
    const kept = log ?? this.#begin(id, entries[0] as RunEntry);
    const [first] = entries;
    if (first?.kind === "begun" && first.continues !== undefined) {
      kept.before = known;
      kept.entries.length = 0;
    }
    kept.entries.push(...texts);
    kept.at = last.at;
    kept.isStuck = last.kind === "stuck";
    const now = this.#clock.now();
    kept.retryAt = last.kind === "resumed" ? now + waitAfter(last) : now;
    kept.endedAt = now;
    kept.unfit = undefined;
    kept.host = isParked(last) ? undefined : by;
    const isDue = this.waits.grown(kept, entries, kept.cancel !== undefined);
    for (const entry of entries) {
      if (entry.labels !== undefined) kept.labels = { ...entry.labels };
      if ("node" in entry) kept.node = entry.node;
      if (entry.kind !== "begun" && entry.kind !== "resumed") continue;
      kept.version = entry.version;
      if (entry.trace !== undefined) kept.trace = { ...entry.trace };
    }
    const [from, to] =
      last.kind === "ended" ? [this.#unfinished, this.#ended] : [this.#ended, this.#unfinished];
    if (from.delete(id)) {
      to.set(id, kept);
      if (to === this.#unfinished) this.#sortUnfinished();
    }
    if (kept.cancel === undefined && !isDue) return true;
    return { ...(kept.cancel && { cancel: { ...kept.cancel } }), ...(isDue && { isDue }) };
  };

  readonly read = (id: string): readonly RunEntry[] =>
    (this.#logOf(id)?.entries ?? []).map((text) => JSON.parse(text) as RunEntry);

  readonly glance = (id: string, withBegun = false): RunGlance | undefined => {
    const log = this.#logOf(id);
    if (log === undefined) return undefined;
    const { axon, version, entries, isStuck, unfit, wait } = log;
    const entryAt = (at: number): RunEntry => JSON.parse(entries.at(at) as string) as RunEntry;
    const hasEnded = this.#ended.has(id);
    return {
      ...{ axon, version, ...(unfit && { unfit: unfit.reason }) },
      ...{ state: hasEnded ? "ended" : isStuck ? "stuck" : "running", entries: lengthOf(log) },
      ...(wait && { wait: { ...wait } }),
      ...(hasEnded && { end: entryAt(-1) }),
      ...(withBegun && { begun: entryAt(0) }),
    };
  };

  readonly unfinished = (filter: RunFilter = {}): readonly UnfinishedRun[] => {
    const {
      id: ofId,
      axon: ofAxon,
      axons,
      of,
      abandoned,
      after,
      release,
      cancelled,
      label,
      limit = 100,
    } = filter;
    const fits = (id: string, log: Log): boolean =>
      (ofId ?? id) === id &&
      (ofAxon ?? log.axon) === log.axon &&
      (axons?.some(({ name, versions }) => name === log.axon && versions.includes(log.version)) ?? true) &&
      (of ?? log.host) === log.host &&
      (after === undefined || log.place > Number(after)) &&
      (release === undefined || log.unfit?.releases.includes(release) !== true) &&
      (cancelled !== true || log.cancel !== undefined) &&
      (label === undefined || hasLabel(log.labels, label)) &&
      (abandoned !== true || this.#mayBeTaken(log));
    const found: UnfinishedRun[] = [];
    for (const [id, log] of this.#unfinished) {
      if (found.length >= limit) break;
      if (fits(id, log)) found.push(this.#listed(id, log));
    }
    return found;
  };

  readonly list = (filter: RunListFilter): readonly ListedRun[] => {
    const found: ListedRun[] = [];
    for (const [id, log] of [...this.#unfinished, ...this.#ended].sort(([, a], [, b]) => b.place - a.place)) {
      if (found.length >= filter.limit) break;
      const end = this.#ended.has(id) ? (JSON.parse(log.entries.at(-1) as string) as RunEntry) : undefined;
      const state = end === undefined ? stateOf(log, filter.release) : outcomeOf(end);
      if (!isListed(log, state, filter)) continue;
      found.push({ ...this.#listed(id, log), state, ...(end && { ended_at: log.endedAt }) });
    }
    return found;
  };

  readonly markUnfit: NonNullable<RunStore["markUnfit"]> = (id, known, { release, reason }) => {
    const log = this.#unfinished.get(id);
    if (log === undefined || lengthOf(log) !== known) return;
    log.unfit = { reason, releases: [release, ...(log.unfit?.releases ?? [])].slice(0, MAX_RELEASES) };
  };

  readonly counted = (release: string): readonly RunCount[] => {
    const counts = new Map<string, RunCount>();
    for (const log of this.#unfinished.values()) {
      const { axon, version } = log;
      const state = stateOf(log, release);
      const key = JSON.stringify([axon, version, state]);
      const { count = 0, abandoned = 0 } = counts.get(key) ?? {};
      const isLeft = this.#isAbandoned(log) ? 1 : 0;
      counts.set(key, { axon, version, state, count: count + 1, abandoned: abandoned + isLeft });
    }
    return [...counts.values()];
  };

  readonly ownership = (id: string): RunOwnership | undefined => {
    const log = this.#logOf(id);
    if (log === undefined) return undefined;
    const { host, isStuck, cancel, wait } = log;
    return {
      state: this.#ended.has(id) ? "ended" : isStuck ? "stuck" : "running",
      isAlive: host !== undefined && !this.#isAbandoned(log),
      ...(host !== undefined && { host }),
      ...(cancel && { cancel: { ...cancel } }),
      ...(wait && { wait: { ...wait } }),
    };
  };

  readonly requestCancel = (id: string, request: RunCancelRequest): RunOwnership | undefined => {
    const log = this.#unfinished.get(id);
    if (log !== undefined && log.cancel === undefined) {
      log.cancel = { ...request };
      this.waits.end(log);
    }
    return this.ownership(id);
  };

  readonly remove = (id: string, only?: "ended"): boolean =>
    (only === undefined && this.#unfinished.delete(id)) || this.#ended.delete(id);

  readonly forget = (before: number, limit: number, ageMs?: number, which: RunChoice = {}): number => {
    const now = this.#clock.now();
    const isOld = ({ at, endedAt }: Log): boolean =>
      ageMs === undefined ? at < before : endedAt < now - ageMs;
    const old = [...this.#ended].filter(([, log]) => isOld(log) && isChosen(log, which)).slice(0, limit);
    for (const [id] of old) this.#ended.delete(id);
    return old.length;
  };

  readonly beat = (host: string, ttlMs: number, facts?: HostFacts): void => {
    if (this.#left.has(host)) return;
    const now = this.#clock.now();
    // An expired lease counts as none.
    for (const [other, { until }] of this.#leases) if (until <= now) this.#leases.delete(other);
    this.#leases.set(host, { until: now + ttlMs, beatAt: now, facts });
  };

  readonly hosts = (): readonly HostLease[] => {
    const now = this.#clock.now();
    const runs = new Map<string, number>();
    for (const { host } of this.#unfinished.values())
      if (host !== undefined) runs.set(host, (runs.get(host) ?? 0) + 1);
    return [...this.#leases].map(([id, { until, beatAt, facts }]) => ({
      ...{ id, isAlive: until > now, beatAgoMs: now - beatAt, leftMs: Math.max(0, until - now) },
      ...{ runs: runs.get(id) ?? 0, ...(facts && { facts }) },
    }));
  };

  readonly leave = (host: string): void => {
    if (!this.#leases.delete(host)) return;
    this.#left.add(host);
    const [oldest] = this.#left;
    if (this.#left.size > MAX_LEFT && oldest !== undefined) this.#left.delete(oldest);
  };

  /** Of a log that was reopened, which is the last one there. */
  #sortUnfinished(): void {
    const logs = [...this.#unfinished].sort(([, a], [, b]) => a.place - b.place);
    this.#unfinished.clear();
    for (const [id, log] of logs) this.#unfinished.set(id, log);
  }

  #logOf(id: string): Log | undefined {
    return this.#unfinished.get(id) ?? this.#ended.get(id);
  }

  #mayBeTaken(log: Log): boolean {
    return this.#isAbandoned(log) && !log.isStuck && log.retryAt <= this.#clock.now();
  }

  #isAbandoned({ host }: Log): boolean {
    return host !== undefined && (this.#leases.get(host)?.until ?? 0) <= this.#clock.now();
  }

  #listed(id: string, log: Log): UnfinishedRun & { readonly place: string } {
    const { axon, version, node, beganAt, at, isStuck, trace, host, place } = log;
    const { unfit, cancel, labels, wait } = log;
    return {
      id,
      axon,
      version,
      began_at: beganAt,
      at,
      entries: lengthOf(log),
      ...(node !== undefined && { node }),
      ...(trace && { trace: { ...trace } }),
      ...(host !== undefined && { host }),
      ...(isStuck && { stuck: true }),
      ...(host !== undefined && this.#left.has(host) && { left: true }),
      ...(unfit && { unfit: unfit.reason }),
      ...(cancel && { cancel: { ...cancel } }),
      ...(labels && { labels: { ...labels } }),
      ...(wait && { wait: { ...wait } }),
      place: String(place),
    };
  }

  #begin(id: string, first: RunEntry): Log {
    if (first.kind !== "begun") throw new TypeError(`The log of run '${id}' begins with '${first.kind}'`);
    if (this.#unfinished.size + this.#ended.size >= this.#maxRuns) {
      const [oldest] = this.#ended.keys();
      if (oldest === undefined) throw new Error(`MemoryRuns holds ${this.#maxRuns} runs, and none has ended`);
      this.#ended.delete(oldest);
    }
    const { axon, version, at } = first;
    this.#begun += 1;
    const log: Log = {
      place: this.#begun,
      entries: [],
      before: 0,
      axon,
      beganAt: at,
      subject: first.subject,
      version,
      node: undefined,
      at,
      isStuck: false,
      retryAt: 0,
      endedAt: 0,
      unfit: undefined,
      trace: undefined,
      host: undefined,
      cancel: undefined,
      labels: undefined,
      wait: undefined,
      tells: first.tells,
      signals: new Map(),
      signalIds: new Map(),
    };
    this.#unfinished.set(id, log);
    return log;
  }
}

/** True if these entries are the last of a log, after `known` others. */
const isLast = (log: Log, known: number, texts: readonly string[]): boolean =>
  texts.length > 0 &&
  lengthOf(log) === known + texts.length &&
  texts.every((text, i) => text === log.entries[known - log.before + i]);

const lengthOf = ({ entries, before }: Log): number => before + entries.length;

function isListed(log: Log, state: RunStateName, filter: RunListFilter): boolean {
  const { axons, states, subject, label, since, until, after } = filter;
  return (
    (axons?.includes(log.axon) ?? true) &&
    (states?.includes(state) ?? true) &&
    (subject ?? log.subject) === log.subject &&
    (label === undefined || hasLabel(log.labels, label)) &&
    (since === undefined || log.beganAt >= since) &&
    (until === undefined || log.beganAt < until) &&
    (after === undefined || log.place < Number(after))
  );
}

function isChosen({ axon, entries }: Log, { axons, not, outcome }: RunChoice): boolean {
  if (axons?.includes(axon) === false || not?.includes(axon) === true) return false;
  if (outcome === undefined) return true;
  const hasFailed = outcomeOf(JSON.parse(entries.at(-1) as string) as RunEntry) === "failed";
  return hasFailed === (outcome === "failed");
}

/** `release`: default any. */
function stateOf({ isStuck, unfit, wait }: Log, release?: string): RunCount["state"] {
  if (isStuck) return "stuck";
  if (unfit !== undefined && (release === undefined || unfit.releases.includes(release))) return "unfit";
  if (wait === undefined) return "running";
  return wait.signals === undefined ? "sleeping" : "waiting";
}

const waitAfter = ({ at, retry_at = at }: { readonly at: number; readonly retry_at?: number }): number =>
  Math.max(0, Math.min(LONGEST_RETRY_MS, retry_at - at));
