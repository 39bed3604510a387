import { type Clock, systemClock } from "#core/clock.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { RunEntry, RunFilter, RunStore, UnfinishedRun } from "#core/ports/run-store.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";

export interface MemoryRunsOptions {
  /** Maximum number of runs. Beyond it the run that ended first is evicted; if none has ended, no run begins. Default 10 000. */
  readonly maxRuns?: number;
  /** For tests. Default: the clock of the process. */
  readonly clock?: Clock;
}

interface Log {
  /** Each entry as text: later changes of a value do not change the log. */
  readonly entries: string[];
  readonly axon: string;
  readonly beganAt: number;
  version: string;
  at: number;
  isStuck: boolean;
  /** Before this time no other host takes the run. */
  retryAt: number;
  trace: TraceMark | undefined;
  host: string | undefined;
}

/** Run logs in the memory of this process: for tests, and for runs that need not survive the process. */
export class MemoryRuns implements RunStore {
  readonly perProcess = "its runs in memory, which other processes cannot resume";
  readonly #maxRuns: number;
  readonly #clock: Clock;
  /** Offset of the clock to milliseconds since 1970. */
  readonly #clockBegan: number;
  // In order of their beginning, and of their end.
  readonly #unfinished = new Map<string, Log>();
  readonly #ended = new Map<string, Log>();
  /** Expiry of the lease, by host. */
  readonly #leases = new Map<string, number>();

  constructor(options: MemoryRunsOptions = {}) {
    requireKnownOptions("MemoryRuns", options, ["maxRuns", "clock"]);
    const { maxRuns = 10_000, clock = systemClock } = options;
    if (!Number.isSafeInteger(maxRuns) || maxRuns < 1)
      throw invalidOption(`MemoryRuns({ maxRuns: ${maxRuns} })`, "use a whole number from 1");
    this.#maxRuns = maxRuns;
    this.#clock = clock;
    this.#clockBegan = Date.now() - clock.now();
  }

  readonly append = (id: string, known: number, entries: readonly RunEntry[], by?: string): boolean => {
    const log = this.#logOf(id);
    const texts = entries.map((entry) => JSON.stringify(entry));
    const { length } = log?.entries ?? [];
    if (length !== known) return by !== undefined && by === log?.host && isLast(log, known, texts);
    const last = entries.at(-1);
    if (last === undefined) return true;
    const kept = log ?? this.#begin(id, entries[0] as RunEntry);
    kept.entries.push(...texts);
    kept.at = last.at;
    kept.isStuck = last.kind === "stuck";
    kept.retryAt = last.kind === "resumed" ? (last.retry_at ?? 0) : 0;
    kept.host = by;
    for (const entry of entries) {
      if (entry.kind !== "begun" && entry.kind !== "resumed") continue;
      kept.version = entry.version;
      if (entry.trace !== undefined) kept.trace = { ...entry.trace };
    }
    const [from, to] =
      last.kind === "ended" ? [this.#unfinished, this.#ended] : [this.#ended, this.#unfinished];
    if (from.delete(id)) to.set(id, kept);
    return true;
  };

  readonly read = (id: string): readonly RunEntry[] =>
    (this.#logOf(id)?.entries ?? []).map((text) => JSON.parse(text) as RunEntry);

  readonly unfinished = (filter: RunFilter = {}): readonly UnfinishedRun[] => {
    const { axon: ofAxon, axons, of, abandoned, limit = 100 } = filter;
    const fits = (log: Log): boolean =>
      (ofAxon ?? log.axon) === log.axon &&
      (axons?.some(({ name, versions }) => name === log.axon && versions.includes(log.version)) ?? true) &&
      (of ?? log.host) === log.host &&
      (abandoned !== true || this.#mayBeTaken(log));
    const found: UnfinishedRun[] = [];
    for (const [id, log] of this.#unfinished) {
      if (found.length >= limit) break;
      if (fits(log)) found.push(listed(id, log));
    }
    return found;
  };

  readonly remove = (id: string): boolean => this.#unfinished.delete(id) || this.#ended.delete(id);

  readonly forget = (before: number, limit: number): number => {
    const old = [...this.#ended].filter(([, { at }]) => at < before).slice(0, limit);
    for (const [id] of old) this.#ended.delete(id);
    return old.length;
  };

  readonly beat = (host: string, ttlMs: number): void => {
    const now = this.#clock.now();
    // An expired lease counts as none.
    for (const [other, until] of this.#leases) if (until <= now) this.#leases.delete(other);
    this.#leases.set(host, now + ttlMs);
  };

  readonly leave = (host: string): void => {
    this.#leases.delete(host);
  };

  #logOf(id: string): Log | undefined {
    return this.#unfinished.get(id) ?? this.#ended.get(id);
  }

  #mayBeTaken({ host, isStuck, retryAt }: Log): boolean {
    const now = this.#clock.now();
    const isAbandoned = host !== undefined && (this.#leases.get(host) ?? 0) <= now;
    return isAbandoned && !isStuck && retryAt <= this.#clockBegan + now;
  }

  #begin(id: string, first: RunEntry): Log {
    if (first.kind !== "begun") throw new TypeError(`The log of run '${id}' begins with '${first.kind}'`);
    if (this.#unfinished.size + this.#ended.size >= this.#maxRuns) {
      const [oldest] = this.#ended.keys();
      if (oldest === undefined) throw new Error(`MemoryRuns holds ${this.#maxRuns} runs, and none has ended`);
      this.#ended.delete(oldest);
    }
    const { axon, version, at } = first;
    const log: Log = {
      entries: [],
      axon,
      beganAt: at,
      version,
      at,
      isStuck: false,
      retryAt: 0,
      trace: undefined,
      host: undefined,
    };
    this.#unfinished.set(id, log);
    return log;
  }
}

/** True if these entries are the last of a log, after `known` others. */
const isLast = ({ entries }: Log, known: number, texts: readonly string[]): boolean =>
  texts.length > 0 &&
  entries.length === known + texts.length &&
  texts.every((text, i) => text === entries[known + i]);

const listed = (id: string, log: Log): UnfinishedRun => {
  const { entries, axon, version, beganAt, at, isStuck, trace, host } = log;
  return {
    id,
    axon,
    version,
    began_at: beganAt,
    at,
    entries: entries.length,
    ...(trace && { trace: { ...trace } }),
    ...(host !== undefined && { host }),
    ...(isStuck && { stuck: true }),
  };
};
