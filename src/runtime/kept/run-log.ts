// The state of a run, read from its log: its position, its completed steps, its end.

import type { RunLabels } from "#core/bus/label.js";
import {
  type CompletedStep,
  type RedrivenLetter,
  type RunEntry,
  type RunPosition,
  UnreadableLog,
} from "#core/ports/run-store.js";
import type { RunWait, Woken } from "#core/ports/run-waits.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { Json } from "#core/wire/json-text.js";

export type RunEnd = { readonly output: Json | undefined } | { readonly error: Json };

export interface RunLog {
  readonly known: number;
  /** Number of entries in the logs that it replaced. */
  readonly continues: number;
  /** Its size as text. */
  readonly chars: number;
  /** 1 in the process that began it, one more with each resumption. */
  readonly epoch: number;
  /** Number of resumptions by hosts since its last checkpoint, or since it was resumed by hand. */
  readonly resumptions: number;
  /** True if no host resumes it any more. */
  readonly isStuck: boolean;
  readonly axon: string;
  /** The version of the Axon that ran it last. */
  readonly version: string;
  /** The trace in which it ran last, if that is known. */
  readonly trace: TraceMark | undefined;
  /** The id of its latest run, begun or resumed, for the watchers of that run. */
  readonly watchedAs: string | undefined;
  /** Hash of the person it is about. */
  readonly subject: string | undefined;
  /** From the newest entry that has them. */
  readonly labels: RunLabels | undefined;
  /** Of the request that began it. */
  readonly fingerprint: string | undefined;
  /** The dead letter that it re-drives. */
  readonly letter: RedrivenLetter | undefined;
  /** The run that is told of its end. */
  readonly tells: string | undefined;
  /** Until when it waits at its position, and for what; `inMs` is since that entry. */
  readonly wait: (RunWait & { readonly at: number; readonly inMs?: number }) | undefined;
  /** What ended the wait at its position. */
  readonly woken: Woken | undefined;
  readonly start: RunPosition;
  readonly position: RunPosition;
  /** Completed steps that are not undone, in order of completion. */
  readonly completed: readonly CompletedStep[];
  /** The completed steps at the time of the failure, including those undone since. */
  readonly completedAtFailure: readonly CompletedStep[];
  /** Its fault, if its steps are being undone. */
  readonly error: Json | undefined;
  readonly cause: { readonly step: string; readonly thrown: string } | undefined;
  readonly failedAt: { readonly node: string; readonly input: Json } | undefined;
  /** Undefined while the run is not over. */
  readonly end: RunEnd | undefined;
}

/** Throws UnreadableLog. */
export function readLog(answer: unknown): RunLog | undefined {
  try {
    return readEntries(answer);
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Without the id of the run: equal damages have equal messages. */
export function unreadable(cause: unknown): UnreadableLog {
  if (cause instanceof UnreadableLog) return cause;
  const why = cause instanceof Error ? cause.message : "A value of the log cannot be read: see the cause";
  return new UnreadableLog(why, { cause });
}

function readEntries(answer: unknown): RunLog | undefined {
  const entries = requireEntries(answer);
  const [first, ...rest] = entries;
  if (first === undefined) return undefined;
  if (first.kind !== "begun") throw new TypeError(`A log of a run that begins with '${first.kind}'`);
  const start = positionIn(first);
  const { axon, version, trace, watched_as: watchedAs, subject, fingerprint, letter, tells } = first;
  const { continues = 0, epoch = 1 } = first;
  const begun: RunLog = {
    known: continues + 1,
    continues,
    chars: entries.reduce((chars, entry) => chars + JSON.stringify(entry).length, 0),
    epoch,
    resumptions: 0,
    isStuck: false,
    axon,
    version,
    trace,
    watchedAs,
    subject,
    labels: entries.findLast((entry) => entry.labels !== undefined)?.labels,
    fingerprint,
    letter,
    tells,
    wait: continues > 0 ? { at: first.at } : undefined,
    woken: undefined,
    start,
    position: start,
    completed: [],
    completedAtFailure: [],
    error: undefined,
    cause: undefined,
    failedAt: undefined,
    end: undefined,
  };
  return rest.reduce(added, begun);
}

function added(log: RunLog, entry: RunEntry): RunLog {
  requireInOrder(log, entry);
  const known = log.known + 1;
  switch (entry.kind) {
    case "begun":
      throw new TypeError("A log of a run that begins twice");
    case "checkpoint": {
      const completed = [...log.completed, ...entry.completed];
      const position = positionIn(entry);
      return { ...log, known, resumptions: 0, position, completed, wait: undefined, woken: undefined };
    }
    case "waiting": {
      const { at, signals, due, inMs } = entry;
      const wait = {
        at,
        ...(signals && { signals }),
        ...(due !== undefined && { due }),
        ...(inMs !== undefined && { inMs }),
      };
      const completed = [...log.completed, ...entry.completed];
      const position = positionIn(entry);
      return { ...log, known, resumptions: 0, position, completed, wait, woken: undefined };
    }
    case "resumed":
      // An untraced resumption keeps the link to the last trace.
      return {
        ...log,
        known,
        epoch: log.epoch + 1,
        resumptions: entry.resumptions ?? 0,
        isStuck: false,
        wait: undefined,
        woken: entry.woken ?? log.woken,
        position: positionIn(entry),
        version: entry.version,
        trace: entry.trace ?? log.trace,
        watchedAs: entry.watched_as ?? log.watchedAs,
      };
    case "stuck":
      return { ...log, known, isStuck: true };
    case "failed": {
      const { error, cause, step: failedAt } = entry;
      const end = undefined;
      const completed = [...log.completed, ...entry.completed];
      return {
        ...log,
        known,
        resumptions: 0,
        error,
        cause,
        failedAt,
        end,
        completed,
        completedAtFailure: completed,
      };
    }
    case "undone":
      return { ...log, known, resumptions: 0, completed: log.completed.slice(0, entry.left) };
    case "ended":
      return { ...log, known, end: endIn(entry) };
  }
}

export const endIn = (entry: RunEntry & { readonly kind: "ended" }): RunEnd =>
  "error" in entry ? { error: entry.error } : { output: entry.output };

/**
 * A failed run is undone, then ends. A run that succeeded may still fail in a layer (J4); else it
 * stays ended. A stuck run is resumed by hand.
 */
function requireInOrder({ end, error, isStuck, wait, completed, known }: RunLog, entry: RunEntry): void {
  const { kind } = entry;
  const hasFailed = error !== undefined;
  const isInOrder =
    (end === undefined || (kind === "failed" && !hasFailed && !("error" in end))) &&
    (!isStuck || kind === "resumed") &&
    (wait === undefined || kind === "resumed" || kind === "stuck") &&
    (kind === "undone"
      ? hasFailed && entry.left <= completed.length
      : !hasFailed || kind === "resumed" || kind === "ended" || kind === "stuck");
  if (!isInOrder)
    throw new TypeError(`Entry ${known + 1} of the log cannot follow on those before: '${kind}'`);
}

const positionIn = ({ node, input, bus, jumps }: RunPosition): RunPosition => ({ node, input, bus, jumps });

type Is = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isThere: Is = (value) => value !== undefined;
const isText: Is = (value) => typeof value === "string";
const isTime: Is = (value) => Number.isFinite(value);
const isCount: Is = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const has =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, is]) => is(value[name]));
const perhaps =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);
const isList =
  (is: Is): Is =>
  (value) =>
    // `every` skips holes.
    Array.isArray(value) && !value.includes(undefined) && value.every((item) => is(item));

const isEffects = isList(
  has({ node: isText, outcome: perhaps(has({ kind: isText })), bus: perhaps(isRecord) }),
);
const isLabels: Is = (value) => isRecord(value) && Object.values(value).every(isText);

const position = { node: isText, input: isThere, bus: isRecord, jumps: isCount };
const isWoken: Is = (value) =>
  has({ by: isText })(value) &&
  ((value as Woken).by === "time" || has({ name: isText, number: isCount, payload: isThere })(value));
const completed = isList(has({ node: isText, input: isThere, output: isThere, bus: perhaps(isRecord) }));

// The `trace` is not validated: a run is worth more than a link.
const kinds = new Map<unknown, Readonly<Record<string, Is>>>([
  [
    "begun",
    {
      ...{ at: isTime, axon: isText, version: isText, subject: perhaps(isText) },
      ...{ fingerprint: perhaps(isText), letter: perhaps(has({ id: isText, attempts: isCount })) },
      ...{ tells: perhaps(isText), continues: perhaps(isCount), epoch: perhaps(isCount) },
      ...position,
    },
  ],
  ["checkpoint", { at: isTime, completed, ...position }],
  [
    "waiting",
    {
      ...{ at: isTime, completed, ...position },
      ...{ signals: perhaps(isList(isText)), due: perhaps(isTime), inMs: perhaps(isTime) },
    },
  ],
  [
    "resumed",
    {
      ...{ at: isTime, version: isText, resumptions: perhaps(isCount), retry_at: perhaps(isTime) },
      ...{ woken: perhaps(isWoken), ...position },
    },
  ],
  ["stuck", { at: isTime }],
  [
    "failed",
    {
      ...{ at: isTime, error: isThere, completed, actor: perhaps(isText) },
      step: perhaps(has({ node: isText, input: isThere })),
      cause: perhaps(has({ step: isText, thrown: isText })),
    },
  ],
  ["undone", { at: isTime, left: isCount }],
  ["ended", { at: isTime }],
]);

/** The entry, unchanged. Throws if it is invalid, or of another kind. */
export function requireEntry<K extends RunEntry["kind"]>(
  kind: K,
  entry: unknown,
): RunEntry & { readonly kind: K } {
  const wrong = faultOf(entry) ?? ((entry as RunEntry).kind === kind ? undefined : "is of another kind");
  if (wrong !== undefined) throw new TypeError(`The entry '${kind}' of the log ${wrong}`);
  return entry as RunEntry & { readonly kind: K };
}

/** The entries, unchanged. Throws if one is invalid. */
function requireEntries(answer: unknown): readonly RunEntry[] {
  if (!Array.isArray(answer)) throw new TypeError("A store that answers no list of entries");
  for (const [i, entry] of answer.entries()) {
    const wrong = faultOf(entry);
    if (wrong !== undefined) throw new TypeError(`Entry ${i + 1} of the log ${wrong}`);
  }
  return answer;
}

function faultOf(entry: unknown): string | undefined {
  const fields = isRecord(entry) ? kinds.get(entry["kind"]) : undefined;
  if (!isRecord(entry) || fields === undefined) return "is of no kind that there is";
  const wrong = Object.entries({ ...fields, labels: perhaps(isLabels), effects: perhaps(isEffects) }).find(
    ([name, is]) => !is(entry[name]),
  );
  return wrong && `is of kind '${entry["kind"]}', and its '${wrong[0]}' is missing or wrong`;
}
