// Runs before each step of a stored run. It writes to the log which steps completed, which step
// comes next, and the Bus values that later steps or compensations use. Values from outside are
// given again by the caller that resumes the run.

import type { AnyKey } from "#core/bus/bus-key.js";
import { FailureLog, Log } from "#core/bus/log.js";
import { fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import {
  ClientIdentity,
  ClientIp,
  PathParams,
  RequestId,
  RequestMethod,
  RequestPath,
} from "#core/facts/ingress-facts.js";
import { FencingToken } from "#core/ports/lock.js";
import { isKeptRunId, isReservedRunId, RunEpoch, RunId, type RunPosition } from "#core/ports/run-store.js";
import { Session } from "#core/ports/session.js";
import { KEYS_OF_RUN, keysOf, keysOfStep, keysOfUndo } from "../check/used-keys.js";
import { type AxonDefinition, type StepDefinition, visitAxon } from "../definition/axon-definition.js";
import { type JournalOptions, keptIn } from "../kept/appended.js";
import { encode, encodeBus } from "../kept/durable-value.js";
import { Journal } from "../kept/journal.js";
import { END, type Instruction } from "../run/instruction.js";
import type { RunJournal } from "../run/run-journal.js";
import type { RunState } from "../run/run-state.js";
import { outermost } from "../run/subject.js";

export interface CheckpointOptions extends JournalOptions {
  readonly newId: () => string;
}

/** A place at which a run is stored, with the values of the keys `keptAt`. */
export interface KeptPlace {
  readonly node: string;
  readonly keptAt: () => readonly AnyKey[];
}

export const checkpointStep = (options: CheckpointOptions, place: KeptPlace): Instruction["step"] => ({
  run(input, { state }) {
    const journal = journalIn(state, options);
    if (journal === undefined) return RUN_ID_INVALID;
    const written = journal.reached(() => positionAt(place, input, state, options));
    return written instanceof Promise ? written.then((failed) => failed ?? input) : (written ?? input);
  },
});

/** The log of the run, which may begin here. Undefined for an invalid id. */
export function journalIn(state: RunState, options: CheckpointOptions): RunJournal<RunState> | undefined {
  const duties = state.due();
  if (duties.journal !== null) return duties.journal;
  const id = beginIn(state, options);
  if (id === undefined) return undefined;
  const { apart } = outermost(state).duties;
  const where = apart === null ? options : keptIn(options, apart.store);
  duties.journal = new Journal(where, id, state, options.owner);
  return duties.journal;
}

/** Throws NotDurable. */
export function positionAt(
  { node, keptAt }: KeptPlace,
  input: unknown,
  state: RunState,
  { persistence: { maxValueChars } }: CheckpointOptions,
): RunPosition {
  const kept = (key: AnyKey): unknown => {
    const known = state.values[state.slotOf(key)];
    if (known !== undefined || !isAddress(key)) return known;
    // Facts of a request are made at first read, and a resumed run has no request.
    // A step may still verify the client: the fact stays lazy until it is read.
    return key === ClientIdentity ? state.peek(key) : state.make(key);
  };
  return {
    node,
    input: encode(input, "input", maxValueChars),
    bus: encodeBus([...keptAt(), ...(state.duties.carried ?? [])], kept, maxValueChars),
    jumps: state.jumpsTaken,
  };
}

/** An id may come from a header of the client. */
export const RUN_ID_INVALID = fault(
  new ProblemDetail({
    ...{ status: 400, code: "RUN_ID_INVALID" },
    title:
      "The run's id is not well-formed text of 1 to 200 characters without NUL, or begins with 'key-' or 'redrive-'",
  }),
);

/** Writes the id of a new run on the Bus and returns it; undefined for an invalid id. */
function beginIn(state: RunState, { newId }: CheckpointOptions): string | undefined {
  const slot = state.slotOf(RunId);
  const { runId: own } = outermost(state).duties;
  const id: unknown = own ?? state.values[slot] ?? state.make(RunId) ?? newId();
  if (!isKeptRunId(id) || (own === null && isReservedRunId(id))) return undefined;
  state.values[slot] = id;
  state.values[state.slotOf(RunEpoch)] = 1;
  return id;
}

const ADDRESS: ReadonlySet<AnyKey> = new Set<AnyKey>([
  RequestId,
  RequestMethod,
  RequestPath,
  PathParams,
  ClientIp,
  ClientIdentity,
]);

/** The facts of a request about its target and client. Not headers, cookies and query: they may hold secrets. */
export const isAddress = (key: AnyKey): boolean => ADDRESS.has(key) || key.name.startsWith("param:");

/** Values that each process that resumes a run makes itself: its lock, its log. */
export const OWN: readonly AnyKey[] = [...KEYS_OF_RUN, FencingToken, Log, FailureLog];

/** A key that a step after the first checkpoint uses and no log holds. */
export interface UnkeptKey {
  readonly step: string;
  readonly key: AnyKey;
}

/** Collected while an Axon is laid out, read when it runs. */
export class KeptKeys {
  readonly unkept: UnkeptKey[] = [];
  #hasBegun = false;
  readonly #durable: ReadonlySet<AnyKey>;
  /** Written by parallel steps, each on its own Bus: stored only with those completed steps. */
  readonly #beside: ReadonlySet<AnyKey>;
  /** By instruction: all keys that it and its parts use. */
  readonly #uses = new Map<number, Iterable<AnyKey>>();
  /** Keys of compensations: a run may have to undo completed steps at any position. */
  readonly #undoing = new Set<AnyKey>();

  constructor(axon: AxonDefinition) {
    this.#durable = durableKeys(axon);
    this.#beside = durableKeys(axon, true);
  }

  /**
   * Adds a step that has a checkpoint before it. Each step but the first may run in a resumed run,
   * without the request. So may the first if jumps lead to it, and compensations.
   */
  checkpointed(step: StepDefinition, isJumpedTo: boolean): void {
    const isBehind = this.#hasBegun || isJumpedTo;
    this.#hasBegun = true;
    const own = { ...step, branches: new Map() };
    for (const key of isBehind ? keysOfStep(own) : keysOfUndo(own))
      if (!this.#durable.has(key) && !OWN.includes(key))
        this.unkept.push({ step: step.transition.name, key });
  }

  /** Before the first checkpoint: the facts of the request that the log stores. */
  get ofRequest(): readonly AnyKey[] {
    return this.#hasBegun ? [] : [...this.#durable].filter(isAddress);
  }

  usedAt(at: number, keys: Iterable<AnyKey>): void {
    this.#uses.set(at, keys);
  }

  usedToUndo(keys: readonly AnyKey[]): readonly AnyKey[] {
    for (const key of keys) if (this.#durable.has(key)) this.#undoing.add(key);
    return keys.filter((key) => this.#beside.has(key));
  }

  keptAt(code: readonly Instruction[], from: number): readonly AnyKey[] {
    const reached = new Set([from]);
    const kept = new Set(this.#undoing);
    // The iteration of a Set includes items added meanwhile.
    for (const at of reached) {
      const { next, jumps, branches } = code[at] as Instruction;
      for (const to of [next, ...jumps.values(), ...branches.values()]) if (to !== END) reached.add(to);
      for (const key of this.#uses.get(at) ?? []) if (this.#durable.has(key)) kept.add(key);
    }
    return [...kept];
  }
}

/** `beside`: include the keys that parallel steps write. */
export function durableKeys(axon: AxonDefinition, beside = false): ReadonlySet<AnyKey> {
  const keys = new Set<AnyKey>([...keysOf(axon)].filter(isAddress));
  visitAxon(axon, {
    step({ transition: { writes = [], mayWrite = [] }, body }) {
      for (const key of [...writes, ...mayWrite]) keys.add(key);
      return beside || body.kind !== "parallel";
    },
  });
  // A session is not data: it is bound to the cookie of its request.
  for (const key of [...KEYS_OF_RUN, Session]) keys.delete(key);
  return keys;
}
