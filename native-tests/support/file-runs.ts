import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "#core/clock.js";
import type { RunStore } from "#core/ports/run-store.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";

type Append = Parameters<RunStore["append"]>;
type Change =
  | { readonly append: Append }
  | { readonly remove: readonly [id: string, only?: "ended"] }
  | { readonly forget: [number, number] };

/**
 * Logs of runs in a file, for tests that kill processes: one line each change, written at once
 * and done again when it is opened. Leases are in memory. For one process at a time.
 */
export class FileRuns implements RunStore {
  readonly #inner: MemoryRuns;
  readonly #file: string;

  constructor(folder: string, clock?: Clock) {
    this.#inner = new MemoryRuns(clock && { clock });
    this.#file = join(folder, "changes");
    mkdirSync(folder, { recursive: true });
    for (const line of existsSync(this.#file) ? readFileSync(this.#file, "utf8").split("\n") : [])
      if (line !== "") this.#change(JSON.parse(line) as Change);
  }

  readonly append = (...append: Append): boolean => this.#kept({ append }) === true;
  readonly remove = (...remove: readonly [string, "ended"?]): boolean => this.#kept({ remove }) === true;
  readonly forget = (...forget: [number, number]): number => Number(this.#kept({ forget }));
  readonly read: MemoryRuns["read"] = (id) => this.#inner.read(id);
  readonly unfinished: MemoryRuns["unfinished"] = (filter) => this.#inner.unfinished(filter);
  readonly beat: MemoryRuns["beat"] = (host, ttlMs) => this.#inner.beat(host, ttlMs);
  readonly leave: MemoryRuns["leave"] = (host) => this.#inner.leave(host);

  #kept(change: Change): boolean | number {
    const answer = this.#change(change);
    if (answer !== false) appendFileSync(this.#file, `${JSON.stringify(change)}\n`);
    return answer;
  }

  #change(change: Change): boolean | number {
    if ("append" in change) return this.#inner.append(...change.append) === true;
    return "remove" in change ? this.#inner.remove(...change.remove) : this.#inner.forget(...change.forget);
  }
}
