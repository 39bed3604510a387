import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { RunStore } from "#core/ports/run-store.js";
import type { CheckpointMode, Migration, Persistence, RetainOptions } from "./axon-definition.js";

export interface PersistenceOptions {
  /** Default "sync". */
  readonly checkpoint?: CheckpointMode;
  /** Time limit of a store call, in milliseconds; the call then counts as failed. Default 10 000. */
  readonly timeoutMs?: number;
  /**
   * Largest size of each value that a step receives, returns or writes: characters of its JSON, not
   * counting escapes. A larger value is VALUE_NOT_DURABLE. Default 1 048 576.
   */
  readonly maxValueChars?: number;
  /**
   * Entries of a log at which its run takes no further checkpoint: it fails with RUN_LOG_FULL, and is
   * undone. Reported before, at four fifths. Default 10 000.
   */
  readonly maxLogEntries?: number;
  /** The same for the characters of all values in the log, counted as for `maxValueChars`. Default 67 108 864. */
  readonly maxLogChars?: number;
  /** The treatment of runs that other versions of the Axon began. Default: each stays stored. */
  readonly migrations?: readonly Migration[];
  /** How long its ended runs are kept. Default: as all others of the store. */
  readonly retain?: RetainOptions;
}

/** Default size limit of a value: characters of its JSON, not counting escapes. */
export const MAX_VALUE_CHARS = 1_048_576;

const FUNCTIONS = ["append", "read", "unfinished", "remove", "forget", "beat", "leave"] as const;
const OPTIONS = [
  "checkpoint",
  "timeoutMs",
  "maxValueChars",
  "maxLogEntries",
  "maxLogChars",
  "migrations",
  "retain",
];

export function persistenceOf(axon: string, store: RunStore, options: PersistenceOptions): Persistence {
  const call = `Axon '${axon}': withPersistenceStore`;
  requireKnownOptions(call, options, OPTIONS);
  const { checkpoint = "sync", timeoutMs = 10_000, migrations = [], retain } = options;
  const { maxValueChars = MAX_VALUE_CHARS, maxLogEntries = 10_000, maxLogChars = 67_108_864 } = options;
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
  const bounds = { maxValueChars, maxLogEntries, maxLogChars };
  for (const [name, bound] of Object.entries(bounds))
    if (!Number.isSafeInteger(bound) || bound < 1) refuse(`${name} ${bound}: a whole number from 1`);
  if (retain !== undefined) requireRetain(call, retain);
  return { store, checkpoint, timeoutMs, ...bounds, migrations, ...(retain && { retain: { ...retain } }) };
}

function requireRetain(call: string, retain: RetainOptions): void {
  requireKnownOptions(`${call}: retain`, retain, ["endedDays", "failedDays"]);
  for (const [name, days] of Object.entries(retain))
    if (days !== undefined) requireWhole(call, `retain.${name}`, days, 1, 36_500);
}
