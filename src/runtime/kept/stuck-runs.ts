// Runs that end each process that resumes them. After a number of resumptions without a new
// checkpoint, hosts no longer resume the run, and a dead letter reports it.

import { type RunStuck, runtimeFault } from "#core/bus/runtime-fault.js";
import { FrameworkError } from "#core/errors.js";
import type { DeadLetter, DeadLetterSink } from "#core/ports/dead-letter.js";
import { LONGEST_RETRY_MS } from "#core/ports/run-store.js";
import { isTraceMark } from "#core/timeline/trace-mark.js";
import type { Json } from "#core/wire/json-text.js";
import { isRunId } from "../run/run-id.js";
import { appended, isAppended, type JournalOptions, type RunOwner } from "./appended.js";
import type { RunLog } from "./run-log.js";
import { decode } from "./stored-value.js";

const MAX_RESUMPTIONS = 8;

/**
 * True if a host may resume an unfinished run automatically. The process that began the run counts:
 * a run that ends its process ends `maxResumptions` processes.
 */
export const mayResume = (
  { isStuck, resumptions }: RunLog,
  maxResumptions = MAX_RESUMPTIONS,
  isCounted = true,
): boolean => !isStuck && resumptions + (isCounted ? 1 : 0) < maxResumptions;

/** Delays each resumption more than the last, for a run that ends each process that resumes it. */
export function resumption(
  log: RunLog,
  at: number,
  isCounted: boolean,
): { readonly resumptions?: number; readonly retry_at?: number } {
  const resumptions = log.resumptions + (isCounted ? 1 : 0);
  if (resumptions === 0) return {};
  return { resumptions, retry_at: at + Math.min(LONGEST_RETRY_MS, 1000 * 2 ** (resumptions - 1)) };
}

export const stuck = (runId: string, { resumptions }: RunLog): RunStuck =>
  runtimeFault({ code: "RUN_STUCK", runId, resumptions });

/**
 * Writes that a run is stuck, and sends its dead letter to the sink of the Axon: RUN_STUCK, or
 * `why` it cannot be resumed. Resolves to false if the log has grown since it was read. Rejects if
 * the store fails.
 */
export async function markStuck(
  { deadLetterSink }: { readonly deadLetterSink: DeadLetterSink | undefined },
  journal: JournalOptions,
  id: string,
  log: RunLog,
  by: RunOwner | undefined,
  why?: unknown,
): Promise<boolean> {
  const at = Date.now();
  if (!isAppended(await appended(journal, id, log.known, [{ kind: "stuck", at }], by))) return false;
  try {
    await deadLetterSink?.send(letterOf(id, log, at, why));
  } catch (error) {
    const { axon, reporter } = journal;
    const message = `The dead letter of the stuck run '${id}' could not be kept`;
    reporter({ code: "DEAD_LETTER_LOST", message, axon, error });
  }
  return true;
}

function letterOf(id: string, log: RunLog, failed_at: number, why: unknown): DeadLetter {
  const {
    letter,
    axon,
    version,
    position,
    failedAt = position,
    resumptions,
    trace,
    watchedAs,
    subject,
  } = log;
  return {
    id: letter?.id ?? id,
    kind: "step",
    axon,
    version,
    node: failedAt.node,
    input: readable(failedAt.input),
    // A letter holds data, and no instances.
    error: why instanceof FrameworkError ? { code: why.code, message: why.message } : stuck(id, log),
    undone: log.completedAtFailure
      .slice(log.completed.length)
      .map(({ node, input }) => ({ node, input: readable(input) })),
    timeline: undefined,
    ...(subject !== undefined && { subject }),
    ...(isTraceMark(trace) && { trace }),
    ...(isRunId(watchedAs) && { run_id: watchedAs }),
    failed_at,
    attempts: (letter?.attempts ?? resumptions) + 1,
  };
}

/** Undefined for an invalid stored value: the letter is worth more. */
function readable(stored: Json): unknown {
  try {
    return decode(stored);
  } catch {
    return undefined;
  }
}
