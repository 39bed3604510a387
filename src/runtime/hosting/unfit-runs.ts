// Runs that this process cannot resume: one line per Axon and reason, with their number.

import type { Reporter } from "#core/bus/reporter.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import { FrameworkError } from "#core/errors.js";
import { type RunStore, type UnfinishedRun, UnreadableLog } from "#core/ports/run-store.js";

export interface UnfitRunsOptions {
  readonly clock: Clock;
  readonly reporter: Reporter;
}

interface Kind {
  readonly axon: string;
  example: string;
  error: unknown;
  /** Since the last report. */
  count: number;
  since: number;
  reportedAt: number;
  /** Whether more were found since the last call of `report`. */
  isGrowing: boolean;
}

/** Maximum number of runs remembered as unfit, of stores that keep no marks. */
const MAX_REMEMBERED = 1000;
/** Reasons told apart; of further ones there is one line per Axon. */
const MAX_KINDS = 100;
/** The longest that a line waits for further runs of its kind. */
const MAX_WAIT_MS = 60_000;
/** The shortest time between two lines of a kind. */
const AGAIN_MS = 3_600_000;

export class UnfitRuns {
  readonly #of: UnfitRunsOptions;
  readonly #remembered = new Set<string>();
  readonly #kinds = new Map<string, Kind>();

  constructor(of: UnfitRunsOptions) {
    this.#of = of;
  }

  /** Number of runs that are remembered here, as their store keeps no marks. */
  get remembered(): number {
    return this.#remembered.size;
  }

  has(id: string): boolean {
    return this.#remembered.has(id);
  }

  /** Another release may resume it. Rejects if the store fails. */
  async add(
    run: Pick<UnfinishedRun, "id" | "axon" | "entries">,
    store: RunStore,
    release: string,
    error: unknown,
  ): Promise<void> {
    this.#count(run.id, run.axon, error);
    if (store.markUnfit !== undefined && isOfRelease(error))
      await store.markUnfit(run.id, run.entries, { release, reason: reasonOf(error) });
    else if (this.#remembered.size < MAX_REMEMBERED) this.#remembered.add(run.id);
  }

  /** Reports kinds of which no more were found since the last call; at the end of the process all. */
  report(isEnd = false): void {
    const now = this.#of.clock.now();
    for (const [key, kind] of this.#kinds) {
      const { axon, count, example, error, since, isGrowing, reportedAt } = kind;
      kind.isGrowing = false;
      if (!isEnd && (now - reportedAt < AGAIN_MS || (isGrowing && now - since < MAX_WAIT_MS))) continue;
      if (count === 0) this.#kinds.delete(key);
      if (count === 0) continue;
      kind.count = 0;
      kind.reportedAt = now;
      const runs = count === 1 ? `Run '${example}' was` : `${count} runs, such as '${example}', were`;
      const message = `${runs} abandoned, and cannot be resumed by this release: ${reasonOf(error)}`;
      this.#of.reporter({ code: "RUN_UNRESUMED", message, axon, error });
    }
  }

  #count(id: string, axon: string, error: unknown): void {
    const exact = JSON.stringify([axon, reasonOf(error)]);
    const key = this.#kinds.has(exact) || this.#kinds.size < MAX_KINDS ? exact : JSON.stringify([axon]);
    const since = this.#of.clock.now();
    const none = { axon, example: id, error, count: 0, since, reportedAt: -AGAIN_MS, isGrowing: true };
    const kind = this.#kinds.get(key) ?? none;
    if (kind.count === 0) Object.assign(kind, { example: id, error, since });
    kind.count += 1;
    kind.isGrowing = true;
    this.#kinds.set(key, kind);
  }
}

/** Whether the same code meets it again: an error of the run or of the declared Axon. */
const isOfRelease = (error: unknown): boolean =>
  isRuntimeFault(error) || error instanceof UnreadableLog || error instanceof FrameworkError;

function reasonOf(error: unknown): string {
  const { reason, message } = (error ?? {}) as { readonly reason?: unknown; readonly message?: unknown };
  return String(reason ?? message ?? "see its error");
}
