// The runs that this process took over and that have not ended. A run without an entry for IDLE_MS is
// reported, and leaves its place to another; at most `maxTaken` of them do.

import type { Reporter } from "#core/bus/reporter.js";
import type { Clock } from "#core/clock.js";

export interface TakenRunsOptions {
  readonly clock: Clock;
  readonly maxTaken: number;
  readonly reporter: Reporter;
}

interface Taken {
  readonly axon: string;
  readonly since: number;
  wroteAt: number;
  isReported: boolean;
}

const IDLE_MS = 600_000;
/** Runs that fill all places without an entry are reported earlier: they hold up the others. */
const FULL_MS = 60_000;

export class TakenRuns {
  readonly #of: TakenRunsOptions;
  readonly #runs = new Map<string, Taken>();
  #isFullReported = false;

  constructor(of: TakenRunsOptions) {
    this.#of = of;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** How many more may be taken. */
  get room(): number {
    const { clock, maxTaken } = this.#of;
    if (this.#runs.size < maxTaken) return maxTaken - this.#runs.size;
    const now = clock.now();
    const idle = [...this.#runs.values()].filter((run) => now - run.wroteAt >= IDLE_MS).length;
    return maxTaken - this.#runs.size + Math.min(idle, maxTaken);
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  add(id: string, axon: string): void {
    const now = this.#of.clock.now();
    this.#runs.set(id, { axon, since: now, wroteAt: now, isReported: false });
  }

  delete(id: string): void {
    this.#runs.delete(id);
  }

  wrote(id: string): void {
    const run = this.#runs.get(id);
    if (run === undefined) return;
    run.wroteAt = this.#of.clock.now();
    run.isReported = false;
  }

  /** Reports runs that hang. */
  report(): void {
    const now = this.#of.clock.now();
    const idle = [...this.#runs].filter(([, run]) => now - run.wroteAt >= IDLE_MS && !run.isReported);
    for (const axon of new Set(idle.map(([, run]) => run.axon))) {
      const those = idle.filter(([, run]) => run.axon === axon);
      this.#tell(those, `have written no entry for ${minutes(IDLE_MS)}, and leave their places to others`);
      for (const [, run] of those) run.isReported = true;
    }
    const isFull = this.room <= 0 && [...this.#runs.values()].every((run) => now - run.wroteAt >= FULL_MS);
    if (isFull && !this.#isFullReported)
      this.#tell([...this.#runs], "fill all places (maxTaken): no other abandoned run is taken over here");
    this.#isFullReported = isFull;
  }

  #tell(runs: readonly (readonly [string, Taken])[], what: string): void {
    const [oldest] = [...runs].sort(([, a], [, b]) => a.since - b.since);
    if (oldest === undefined) return;
    const [id, { axon, since }] = oldest;
    const age = minutes(this.#of.clock.now() - since);
    const message = `${runs.length} runs that were taken over ${what}. The oldest, '${id}' of '${axon}', was taken ${age} ago: cancel it, or give its step a time limit`;
    this.#of.reporter({ code: "RUN_HANGING", message, axon });
  }
}

const minutes = (ms: number): string => `${Math.floor(ms / 60_000)} min`;
