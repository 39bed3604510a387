// The stored run of a re-drive. Its id is made of the letter and its attempts, so that the append of
// its first entry is the claim: of two processes one begins it. Its log names the letter, which is
// removed or updated by whichever process ends the run.

import { hash } from "node:crypto";

import { fault } from "#core/bus/outcome.js";
import type { DeadLetter, DeadLetterSink, DeadLetterStore } from "#core/ports/dead-letter.js";
import type { RedrivenLetter, RunStore } from "#core/ports/run-store.js";
import { isTraceMark, type TraceMark } from "#core/timeline/trace-mark.js";
import type { Program } from "../compile/program.js";
import { readLog } from "../kept/run-log.js";
import { decode } from "../kept/stored-value.js";
import { settled } from "../run/answers.js";
import type { Redriving } from "../run/run-duties.js";
import { isRunId } from "../run/run-id.js";

export const redriveRunId = ({ id, attempts }: Pick<DeadLetter, "id" | "attempts">): string =>
  `redrive-${hash("sha256", JSON.stringify([id, attempts]), "base64url")}`;

/** The duty of a run that re-drives a letter, begun or resumed. */
export function redriving(
  { id, attempts }: RedrivenLetter,
  { name: axon, reporter }: Program,
  discard: () => unknown,
): Redriving {
  const failed = (error: unknown): void => {
    const message = `Letter '${id}' was re-driven, and could not be removed: re-drive it again, which runs no step`;
    reporter({ code: "DEAD_LETTERS_UNREAD", message, axon, error });
  };
  return { id, attempts, discard: () => settled(discard, () => {}, failed) };
}

/** Removes the letter from the sinks of its Axon: a process that resumed the run knows no other store. */
export async function discardIn(sinks: readonly DeadLetterSink[], id: string): Promise<void> {
  for (const sink of sinks) await (sink as Partial<DeadLetterStore>).remove?.(id);
}

export type FoundRun =
  /** `isFree`: no process is at it. It is stuck, or its process is gone and no host has taken it yet. */
  | { readonly kind: "unfinished"; readonly id: string; readonly isFree: boolean; readonly entries: number }
  | {
      readonly kind: "ended";
      readonly outcome: unknown;
      readonly trace?: TraceMark;
      readonly runId?: string;
    };

/** Undefined if no such run has begun. Rejects if the store fails. */
export async function foundRun(store: RunStore, runId: string): Promise<FoundRun | undefined> {
  const log = readLog(await store.read(runId));
  if (log === undefined) return undefined;
  const { end, trace, watchedAs } = log;
  if (end === undefined) {
    const isFree = log.isStuck || (await isAbandoned(store, runId));
    return { kind: "unfinished", id: runId, isFree, entries: log.known };
  }
  const kept = "error" in end ? undefined : end.output;
  const outcome = "error" in end ? fault(decode(end.error)) : kept === undefined ? undefined : decode(kept);
  return {
    ...{ kind: "ended", outcome },
    ...(isTraceMark(trace) && { trace }),
    ...(isRunId(watchedAs) && { runId: watchedAs }),
  };
}

const isAbandoned = async (store: RunStore, runId: string): Promise<boolean> =>
  (await store.unfinished({ id: runId, abandoned: true })).some(({ id }) => id === runId);

/** The run of a letter: that which left it, if it is not over, or its re-drive. */
export const runOfLetter = async (store: RunStore, letter: RedrivenLetter): Promise<FoundRun | undefined> =>
  (await unfinishedRunOf(store, letter)) ?? foundRun(store, redriveRunId(letter));

/** The run that left the letter, if it is not over: it is stuck, or still undoes its steps. */
async function unfinishedRunOf(store: RunStore, { id, attempts }: RedrivenLetter) {
  for (const runId of [id, redriveRunId({ id, attempts: attempts - 1 })]) {
    const run = await foundRun(store, runId);
    if (run?.kind === "unfinished") return run;
  }
  return undefined;
}
