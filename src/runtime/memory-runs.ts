import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { RunEntry, RunFilter, RunStore, UnfinishedRun } from "#core/run-store.js";
import type { TraceMark } from "#core/trace-mark.js";

export interface MemoryRunsOptions {
  /** Runs kept at once. Beyond, the one that ended first is dropped; while none has, no run begins. Default 10 000. */
  readonly maxRuns?: number;
}

interface Log {
  /** Each as text: whoever goes on to change a value changes nothing here. */
  readonly entries: string[];
  readonly axon: string;
  readonly beganAt: number;
  at: number;
  trace: TraceMark | undefined;
}

/** Logs of runs in this process, gone with it: for tests, and for what only has to outlive its promise. */
export class MemoryRuns implements RunStore {
  readonly perProcess = "its runs in memory, which other processes cannot resume";
  readonly #maxRuns: number;
  // In the order in which they began, and in which they ended.
  readonly #unfinished = new Map<string, Log>();
  readonly #ended = new Map<string, Log>();

  constructor(options: MemoryRunsOptions = {}) {
    requireKnownOptions("MemoryRuns", options, ["maxRuns"]);
    const { maxRuns = 10_000 } = options;
    if (!Number.isSafeInteger(maxRuns) || maxRuns < 1)
      throw invalidOption(`MemoryRuns({ maxRuns: ${maxRuns} })`, "use a whole number from 1");
    this.#maxRuns = maxRuns;
  }

  readonly append = (id: string, known: number, entries: readonly RunEntry[]): boolean => {
    const log = this.#logOf(id);
    if ((log?.entries.length ?? 0) !== known) return false;
    const last = entries.at(-1);
    if (last === undefined) return true;
    const kept = log ?? this.#begin(id, entries[0] as RunEntry);
    kept.entries.push(...entries.map((entry) => JSON.stringify(entry)));
    kept.at = last.at;
    kept.trace = newestTrace(entries) ?? kept.trace;
    const [from, to] =
      last.kind === "ended" ? [this.#unfinished, this.#ended] : [this.#ended, this.#unfinished];
    if (from.delete(id)) to.set(id, kept);
    return true;
  };

  readonly read = (id: string): readonly RunEntry[] =>
    (this.#logOf(id)?.entries ?? []).map((text) => JSON.parse(text) as RunEntry);

  readonly unfinished = ({ axon: ofAxon, limit = 100 }: RunFilter = {}): readonly UnfinishedRun[] =>
    [...this.#unfinished]
      .filter(([, log]) => (ofAxon ?? log.axon) === log.axon)
      .slice(0, limit)
      .map(([id, { axon, beganAt, at, trace }]) => ({
        id,
        axon,
        began_at: beganAt,
        at,
        ...(trace && { trace: { ...trace } }),
      }));

  readonly remove = (id: string): boolean => this.#unfinished.delete(id) || this.#ended.delete(id);

  #logOf(id: string): Log | undefined {
    return this.#unfinished.get(id) ?? this.#ended.get(id);
  }

  #begin(id: string, first: RunEntry): Log {
    if (first.kind !== "begun") throw new TypeError(`The log of run '${id}' begins with '${first.kind}'`);
    if (this.#unfinished.size + this.#ended.size >= this.#maxRuns) {
      const [oldest] = this.#ended.keys();
      if (oldest === undefined) throw new Error(`MemoryRuns holds ${this.#maxRuns} runs, and none has ended`);
      this.#ended.delete(oldest);
    }
    const log = { entries: [], axon: first.axon, beganAt: first.at, at: first.at, trace: undefined };
    this.#unfinished.set(id, log);
    return log;
  }
}

function newestTrace(entries: readonly RunEntry[]): TraceMark | undefined {
  const traces = entries.flatMap((entry) => ("trace" in entry ? (entry.trace ?? []) : []));
  return traces.length === 0 ? undefined : { ...(traces.at(-1) as TraceMark) };
}
