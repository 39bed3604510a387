// Acts on runs or letters, several at a time, and follows each until it ends or waits.

import { setTimeout as pause } from "node:timers/promises";

import { aligned } from "#config/aligned.js";
import { RUN_STATES } from "#core/ports/run-state.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import { painter } from "../terminal/colour.js";
import { CommandError, type Given, type Surroundings } from "../terminal/command.js";
import { type Progress, progressLine } from "../terminal/progress.js";
import type { Action, Done, Letter, Place, Progressed } from "./place.js";

/** Requests in flight. */
const AT_ONCE = 20;
const FOLLOW_MS = 250;
/** Longer lists show what was not done. */
const SHOWN = 20;

interface Result extends Done {
  readonly id: string;
  /** With --wait. */
  readonly state?: string;
  readonly output?: Json;
  readonly error?: Json;
}

/** One that fails stops no other. 1 where one was refused, failed, or was not answered. */
export async function acted(
  place: Place,
  actions: readonly Action[],
  given: Given,
  surroundings: Surroundings,
): Promise<number> {
  const progress = progressLine(surroundings);
  const results: Result[] = [];
  const queue = actions.entries();
  const worker = async (): Promise<void> => {
    for (const [at, action] of queue) {
      results[at] = await resultOf(place, action, given.flag("wait"), progress).catch((error: unknown) => {
        // Without an Inspector or a token the others fail, too.
        if (error instanceof CommandError) throw error;
        const detail = error instanceof Error ? error.message : String(error);
        return { id: action.target, isDone: false, result: "failed", detail };
      });
      progress.show(`${Object.keys(results).length} of ${actions.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker)).finally(() => progress.end());
  const { out } = surroundings;
  if (given.flag("json")) out(`${JSON.stringify(actions.length === 1 ? results[0] : results, null, 2)}\n`);
  else out(textOf(results, surroundings));
  return results.every(({ isDone }) => isDone) ? 0 : 1;
}

async function resultOf(
  place: Place,
  action: Action,
  isFollowed: boolean,
  progress: Progress,
): Promise<Result> {
  const { kind, target: id } = action;
  const letter = isFollowed && kind === "redrive" ? await place.letter(id) : undefined;
  const before = isFollowed && kind !== "start" ? await place.progressOf(id) : undefined;
  const done = await place.act(action);
  if (!isFollowed || !done.isDone || kind === "forget" || kind === "discard") return { id, ...done };
  const show = ({ state, node }: Progressed): void =>
    progress.show(`${id}: ${state}${node ? ` at ${node}` : ""}`);
  if (kind === "redrive") return { id, ...done, ...(letter && (await redriven(place, letter, show))) };
  // A signal that is kept for later wakes nothing up.
  const known = done.result === "kept" || done.result === "known" ? 0 : (before?.entries ?? 0);
  const end = await followed(place, id, known, kind === "cancel", show);
  if (end === undefined) return { id, ...done, isDone: false, detail: "it is gone: it was forgotten" };
  const { state, output, error } = end;
  const isGood = kind === "cancel" ? state === "cancelled" : GOOD.has(state);
  return {
    id,
    ...done,
    isDone: isGood,
    state,
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error }),
  };
}

const GOOD: ReadonlySet<string> = new Set(["completed", "waiting", "sleeping"]);

/** Until its log has grown and it ended, or no process has it any more. */
async function followed(
  place: Place,
  id: string,
  known: number,
  untilEnd: boolean,
  show: (now: Progressed) => void,
): Promise<Progressed | undefined> {
  for (;;) {
    const now = await place.progressOf(id);
    if (now === undefined) return undefined;
    show(now);
    const rests = now.state !== "running" && (!untilEnd || now.state === "unfit");
    if (now.entries > known && (RUN_STATES[now.state].isOver || rests)) return now;
    await pause(FOLLOW_MS);
  }
}

/** A letter is removed once its re-drive succeeds, and counts one more failure if it does not. */
async function redriven(
  place: Place,
  letter: Letter,
  show: (now: Progressed) => void,
): Promise<Pick<Result, "isDone" | "state">> {
  const run = place.redriveOf(letter);
  for (;;) {
    const now = await place.letter(letter.id);
    if (now === undefined) return { isDone: true, state: "completed" };
    if (now.attempts > letter.attempts) return { isDone: false, state: "failed" };
    const at = run === undefined ? undefined : await place.progressOf(run);
    if (at !== undefined) show(at);
    if (at !== undefined && !RUN_STATES[at.state].isOver && at.state !== "running")
      return { isDone: GOOD.has(at.state), state: at.state };
    await pause(FOLLOW_MS);
  }
}

function textOf(results: readonly Result[], surroundings: Surroundings): string {
  const paint = painter(surroundings);
  const isLong = results.length > SHOWN;
  const listed = isLong ? results.filter(({ isDone }) => !isDone) : results;
  const rows = listed.map((result) => [visible(result.id), wordsOf(result), visible(remarkOf(result))]);
  const lines = aligned(rows).map((line, at) => (listed[at]?.isDone ? line : paint("red", line)));
  return [...lines, ...(results.length > 1 ? [summaryOf(results)] : []), ""].join("\n");
}

function remarkOf({ isDone, detail, output, error, request }: Result): string {
  const value = output ?? (isDone ? undefined : error);
  const shown = typeof value === "string" || value === undefined ? value : JSON.stringify(value);
  return [detail, shown, request && `request ${request}`].filter((part) => part !== undefined).join("; ");
}

function summaryOf(results: readonly Result[]): string {
  const counts = new Map<string, number>();
  for (const result of results) counts.set(wordsOf(result), (counts.get(wordsOf(result)) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} ${what}`).join(", ");
}

const wordsOf = ({ result, state, code }: Pick<Result, "result" | "state" | "code">): string =>
  [...new Set([result, state, code])].filter((word) => word !== undefined).join(" ");
