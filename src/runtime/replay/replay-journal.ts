// The journal of a replay: it writes nothing, and compares what the run would write with the log.
//
//   RJ1. The first difference ends the replay; so does a step that must not run. Nothing is undone.
//   RJ2. Where the log ends before the run, or an operator or a lost lock ended it, the replay ends as
//        the same.

import type { AnyKey } from "#core/bus/bus-key.js";
import { type Fault, fault } from "#core/bus/outcome.js";
import { isRuntimeFault, type RuntimeFault } from "#core/bus/runtime-fault.js";
import type { AnyTransition } from "#core/flow/transition.js";
import type { KeptEffect, RunEntry, RunPosition } from "#core/ports/run-store.js";
import type { Woken } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import type { Program } from "../compile/program.js";
import { MAX_VALUE_CHARS } from "../definition/persistence.js";
import { encode, encodeError } from "../kept/durable-value.js";
import { decode } from "../kept/stored-value.js";
import type { NewWait, RunJournal } from "../run/run-journal.js";
import type { RunState } from "../run/run-state.js";
import { jsonDifference } from "./json-difference.js";
import type { ReplayDifference, ReplayRefusal, ReplayResult } from "./replayed.js";
import { isPlaced, outcomeIn, outcomeOfEffect } from "./stored-outcome.js";

/** How the replay ended. "unkept": an effect inside that step of the line has no outcome in the log. */
export type ReplayEnd =
  | ReplayResult
  | { readonly kind: "waits" }
  | { readonly kind: "unkept"; readonly part: string; readonly node: string };

export interface ReplayedLog {
  readonly id: string;
  readonly entries: readonly RunEntry[];
  /** True if values of it are masked. */
  readonly isMasked: boolean;
  readonly generation: number;
  /** Values of keys that the log has not, by their names. */
  readonly set: Readonly<Record<string, unknown>>;
}

/** Faults that do not come of the steps. */
const FROM_OUTSIDE: readonly RuntimeFault["code"][] = [
  ...(["RUN_CANCELLED", "RUN_ABORTED", "LOCK_TAKEN", "LOCK_UNAVAILABLE", "STEP_TIMEOUT"] as const),
  ...(["CHECKPOINT_FAILED", "AUDIT_FAILED", "RUN_LOG_FULL", "POOL_FULL", "POOL_CLOSED"] as const),
];

const STOP = fault("the replay has ended");

export class ReplayJournal implements RunJournal<RunState> {
  readonly id: string;
  readonly failure = undefined;
  readonly undoneBefore = [];
  readonly failedAt = undefined;
  readonly generation: number;
  lost: Fault<unknown> | undefined;
  end: ReplayEnd | undefined;
  readonly ran: string[] = [];
  readonly given: string[] = [];
  readonly #log: ReplayedLog;
  readonly #program: Program;
  /** Index of the entry at whose position the run is. */
  #at: number;
  #woken: Woken | undefined;
  /** True until the first checkpoint: that position, or the one behind the wait that ended there. */
  #isThere = true;
  #node: string;
  #effects: KeptEffect[] | undefined;

  constructor(log: ReplayedLog, program: Program, at: number) {
    this.id = log.id;
    this.generation = log.generation;
    this.#log = log;
    this.#program = program;
    this.#at = at;
    const entry = log.entries[at] as RunEntry & RunPosition;
    this.#woken = entry.kind === "resumed" ? entry.woken : undefined;
    this.#node = entry.node;
  }

  /** Index of the entry at which it stands. */
  get at(): number {
    return this.#at;
  }

  /** The node whose step is at work. */
  get node(): string {
    return this.#node;
  }

  /** Time of the entry at which it stands, in milliseconds since 1970. */
  get time(): number {
    return this.#entry.at;
  }

  get #entry(): RunEntry {
    return this.#log.entries[this.#at] as RunEntry;
  }

  /** Index of the next entry that says what the run came to. */
  get #nextAt(): number {
    const { entries } = this.#log;
    let next = this.#at + 1;
    while (entries[next]?.kind === "resumed" || entries[next]?.kind === "stuck") next += 1;
    return next;
  }

  get #next(): RunEntry | undefined {
    return this.#log.entries[this.#nextAt];
  }

  /** The fault of a run that could not begin another run. */
  get refusedStart(): unknown {
    const next = this.#next;
    return next !== undefined && "error" in next ? decode(next.error) : undefined;
  }

  takeWoken(): Woken | undefined {
    const woken = this.#woken;
    this.#woken = undefined;
    return woken;
  }

  reached(position: () => RunPosition): Fault<unknown> | undefined {
    this.#woken = undefined;
    if (this.lost !== undefined) return this.lost;
    if (!this.#isThere) return this.#comes(position, undefined);
    this.#isThere = false;
    const there = this.#positionOf(position);
    if (there !== undefined) this.#node = there.node;
    return this.lost;
  }

  waits(position: () => RunPosition, wait: NewWait): Fault<unknown> | undefined {
    if (this.lost !== undefined) return this.lost;
    const failed = this.#comes(position, wait);
    return failed ?? this.#ends({ kind: "waits" });
  }

  continues(): Fault<unknown> {
    const next = this.#next;
    // The log of which this is the end has been replaced.
    if (next === undefined) return this.#ends({ kind: "same", isWhole: false });
    return this.#differs("end", { pointer: "", ...shownEnd(next) });
  }

  ended(output: unknown): Fault<unknown> | undefined {
    if (this.lost !== undefined) return this.lost;
    const next = this.#endsHere();
    if (next === undefined) return this.lost;
    if (next.kind !== "ended" || "error" in next)
      return this.#differs("end", { pointer: "", ...shownEnd(next), ...this.#jsonOf(output) });
    const { output: stored } = next;
    const { now } = this.#jsonOf(output);
    const found = stored === undefined ? undefined : jsonDifference(stored, now, this.#log.isMasked);
    return found === undefined ? this.#ends({ kind: "same", isWhole: true }) : this.#differs("output", found);
  }

  failed({ error }: Fault<unknown>): Fault<unknown> | undefined {
    if (this.lost !== undefined) return this.lost;
    const next = this.#endsHere();
    if (next === undefined) return this.lost;
    const now = encodeError(error);
    if (!("error" in next)) return this.#differs("end", { pointer: "", ...shownEnd(next), now });
    const found = jsonDifference(next.error, now, this.#log.isMasked);
    return found === undefined ? this.#ends({ kind: "same", isWhole: true }) : this.#differs("error", found);
  }

  /** What was recorded is read, and nothing is written. */
  keepEffect(): void {}

  undone(): undefined {}
  endedWith(): undefined {}
  passTo(): void {}
  leave(): void {}
  readonly outcomeOf = (outcome: unknown): unknown => outcome;

  /** The next entry, unless the replay ends at it as the same (RJ2). */
  #endsHere(): RunEntry | undefined {
    const next = this.#next;
    if (next === undefined) this.#ends({ kind: "same", isWhole: false });
    else if (isFromOutside(next)) this.#ends({ kind: "same", isWhole: true });
    return this.lost === undefined ? next : undefined;
  }

  #comes(position: () => RunPosition, wait: NewWait | undefined): Fault<unknown> | undefined {
    const next = this.#endsHere();
    if (next === undefined) return this.lost;
    const now = this.#positionOf(position);
    if (now === undefined) return this.lost;
    if (!isPlaced(next)) return this.#differs("end", { pointer: "", ...shownEnd(next), now: now.node });
    if (next.node !== now.node)
      return this.#differs("next", { pointer: "", stored: next.node, now: now.node });
    const { isMasked } = this.#log;
    const input = jsonDifference(next.input, now.input, isMasked);
    if (input !== undefined) return this.#differs("input", input);
    // A key that only one of both uses later is only in one of them.
    const keys = Object.keys(now.bus).filter((key) => Object.hasOwn(next.bus, key));
    const values = (bus: RunPosition["bus"]): Json =>
      Object.fromEntries(keys.map((key) => [key, bus[key] ?? null]));
    const bus = jsonDifference(values(next.bus), values(now.bus), isMasked);
    if (bus !== undefined) return this.#differs("bus", bus);
    const waits = this.#waitDifference(next, wait);
    if (waits !== undefined) return this.#differs("wait", waits);
    this.#at = this.#nextAt;
    this.#node = now.node;
    this.#effects = undefined;
    return undefined;
  }

  #positionOf(position: () => RunPosition): RunPosition | undefined {
    try {
      return position();
    } catch (error) {
      this.refuse("REPLAY_REFUSED", this.#node, `what it came to cannot be stored: ${textOf(error)}`);
      return undefined;
    }
  }

  #waitDifference(next: RunEntry, now: NewWait | undefined): ReturnType<typeof jsonDifference> {
    const stored = next.kind === "waiting" ? next : undefined;
    const told = (wait: NewWait | undefined): Json =>
      wait === undefined
        ? null
        : {
            ...(wait.signals && { signals: wait.signals }),
            ...(wait.inMs !== undefined && { inMs: wait.inMs }),
          };
    // A time that was reckoned from the clock lies later by the time that its step took.
    const isLater = (): boolean => {
      const by = (stored?.due ?? 0) - (now?.due ?? 0);
      return by >= 0 && by <= next.at - this.time;
    };
    const found = jsonDifference(told(stored), told(now), false);
    if (found !== undefined || stored?.due === now?.due || isLater()) return found;
    return {
      pointer: "/due",
      ...(stored?.due !== undefined && { stored: stored.due }),
      ...(now?.due !== undefined && { now: now.due }),
    };
  }

  /** The stored outcome of a step of the line. */
  give(node: string, { deletes = [] }: AnyTransition, written: readonly AnyKey[], state: RunState): unknown {
    if (this.lost !== undefined) return this.lost;
    const next = this.#endsHere();
    if (next === undefined) return this.lost;
    if (next.kind === "ended" && !("error" in next) && next.output === undefined)
      return this.#ends({ kind: "same", isWhole: false });
    this.given.push(node);
    if (isPlaced(next))
      for (const key of deletes)
        if (!Object.hasOwn(next.bus, key.name)) state.values[state.slotOf(key)] = undefined;
    return outcomeIn(next, { program: this.#program, node, written, state });
  }

  /** The stored outcome of an effect inside a step of the line. */
  giveRecorded(node: string, part: string, written: readonly AnyKey[], state: RunState): unknown {
    if (this.lost !== undefined) return this.lost;
    this.#effects ??= [...(this.#next?.effects ?? [])];
    const at = this.#effects.findIndex((effect) => effect.node === node);
    const [effect] = at < 0 ? [] : this.#effects.splice(at, 1);
    // One that could not be stored has its place: the next is of the next time that the node ran.
    if (effect?.outcome === undefined) return this.#ends({ kind: "unkept", part, node });
    this.given.push(node);
    return outcomeOfEffect(effect, state, written);
  }

  /** Gives a step that runs the values of its keys that are not on its Bus. Returns a fault if one is nowhere. */
  supply(
    node: string,
    { reads = [], mayRead = [] }: Pick<AnyTransition, "reads" | "mayRead">,
    state: RunState,
  ): Fault<unknown> | undefined {
    const { set } = this.#log;
    for (const key of [...reads, ...mayRead] as readonly AnyKey[]) {
      const slot = state.slotOf(key);
      if (state.values[slot] !== undefined || state.peek(key) !== undefined) continue;
      if (Object.hasOwn(set, key.name)) state.values[slot] = set[key.name];
      else if (reads.includes(key))
        return this.refuse(
          "REPLAY_UNKEPT",
          node,
          `it reads '${key.name}', which the log has not: give it by --set ${key.name}=JSON`,
        );
    }
    return undefined;
  }

  refuse(code: ReplayRefusal, node: string, reason: string): Fault<unknown> {
    return this.#ends({ kind: "refused", code, reason, node });
  }

  #ends(end: ReplayEnd): Fault<unknown> {
    this.end ??= end;
    this.lost = STOP;
    return STOP;
  }

  #differs(
    of: ReplayDifference["of"],
    found: Omit<ReplayDifference, "node" | "of" | "entry">,
  ): Fault<unknown> {
    const difference = { node: this.#node, of, ...found, entry: this.#nextAt + 1 };
    return this.#ends({ kind: "differs", difference });
  }

  #jsonOf(output: unknown): { readonly now?: Json } {
    try {
      return { now: encode(output, "output", MAX_VALUE_CHARS) };
    } catch {
      return {};
    }
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the log has at its end, or instead of it. */
function shownEnd(entry: RunEntry): { readonly stored?: Json } {
  if (isPlaced(entry)) return { stored: entry.node };
  if ("error" in entry) return { stored: entry.error };
  return entry.kind === "ended" && entry.output !== undefined ? { stored: entry.output } : {};
}

function isFromOutside(entry: RunEntry): boolean {
  if (!("error" in entry)) return false;
  try {
    const error = decode(entry.error);
    return isRuntimeFault(error) && FROM_OUTSIDE.includes(error.code);
  } catch {
    return false;
  }
}
