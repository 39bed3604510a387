import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import type { RunEntry, RunFilter, RunStore, UnfinishedRun } from "#core/run-store.js";
import { readLog } from "#runtime/run-log.js";

/**
 * Logs of runs as files, for tests that kill processes: what one append brought is one line,
 * written at once. For one process at a time.
 */
export class FileRuns implements RunStore {
  readonly #folder: string;
  /** The ids, in the order in which they began. */
  readonly #index: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#index = join(folder, "index");
    mkdirSync(folder, { recursive: true });
  }

  readonly append = (id: string, known: number, entries: readonly RunEntry[]): boolean => {
    if (this.read(id).length !== known) return false;
    if (known === 0) appendFileSync(this.#index, `${JSON.stringify(id)}\n`);
    if (entries.length > 0) appendFileSync(this.#fileOf(id), `${JSON.stringify(entries)}\n`);
    return true;
  };

  readonly read = (id: string): readonly RunEntry[] =>
    linesOf(this.#fileOf(id)).flatMap((line) => line as RunEntry[]);

  readonly unfinished = ({ axon, limit = 100 }: RunFilter = {}): readonly UnfinishedRun[] =>
    [...new Set(linesOf(this.#index) as string[])]
      .flatMap((id) => {
        const entries = this.read(id);
        const [first, last] = [entries[0], entries.at(-1)];
        if (first?.kind !== "begun" || last === undefined || last.kind === "ended") return [];
        const { trace } = readLog(entries) ?? {};
        return [{ id, axon: first.axon, began_at: first.at, at: last.at, ...(trace && { trace }) }];
      })
      .filter((run) => run.axon === (axon ?? run.axon))
      .slice(0, limit);

  readonly remove = (id: string): boolean => {
    const isThere = existsSync(this.#fileOf(id));
    rmSync(this.#fileOf(id), { force: true });
    return isThere;
  };

  #fileOf(id: string): string {
    return join(this.#folder, Buffer.from(id).toString("hex"));
  }
}

const linesOf = (file: string): readonly unknown[] =>
  (existsSync(file) ? readFileSync(file, "utf8") : "")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
