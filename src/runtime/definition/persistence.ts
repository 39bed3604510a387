import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { CheckpointMode, Migration, Persistence } from "./axon-definition.js";

export interface PersistenceOptions {
  /** Default "sync". */
  readonly checkpoint?: CheckpointMode;
  /** How long the store may take to answer, in milliseconds; then it has failed. Default 10 000. */
  readonly timeoutMs?: number;
  /**
   * How large each value may be that a step gets, answers or writes: characters of its JSON,
   * not counting how they are escaped. A larger one is VALUE_NOT_DURABLE. Default 1 048 576.
   */
  readonly maxValueChars?: number;
  /** What becomes of runs that other versions of the Axon began. Default: each stays where it is. */
  readonly migrations?: readonly Migration[];
}

/** What a value may take, unless said otherwise: characters of its JSON, not counting how they are escaped. */
export const MAX_VALUE_CHARS = 1_048_576;

const FUNCTIONS = ["append", "read", "unfinished", "remove", "forget", "beat", "leave"] as const;
const OPTIONS = ["checkpoint", "timeoutMs", "maxValueChars", "migrations"];

export function persistenceOf(axon: string, store: RunStore, options: PersistenceOptions): Persistence {
  const call = `Axon '${axon}': withPersistenceStore`;
  requireKnownOptions(call, options, OPTIONS);
  const { checkpoint = "sync", timeoutMs = 10_000, migrations = [] } = options;
  const { maxValueChars = MAX_VALUE_CHARS } = options;
  const refuse = (why: string): never => {
    throw invalidOption(call, why);
  };
  for (const method of FUNCTIONS)
    if (typeof store?.[method] !== "function")
      refuse(`the store has no function '${method}': give it Stores.mounted, or the runs of openStores(...)`);
  if (!["sync", "async", "none"].includes(checkpoint))
    refuse(`checkpoint '${checkpoint}' is none of 'sync', 'async' and 'none'`);
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS))
    refuse(`timeoutMs ${timeoutMs}: milliseconds above 0, at most ${MAX_TIMER_MS}`);
  if (!Number.isSafeInteger(maxValueChars) || maxValueChars < 1)
    refuse(`maxValueChars ${maxValueChars}: a whole number from 1`);
  return { store, checkpoint, timeoutMs, maxValueChars, migrations };
}
