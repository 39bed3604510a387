// Stands before each step of a run that is kept: what was completed, what comes next and the
// values of the Bus that a step ahead, or what undoes one, uses are in the log before it begins.
// What comes from outside is given again to whoever resumes the run.

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
import { isKeptRunId, RunEpoch, RunId } from "#core/ports/run-store.js";
import { Session } from "#core/ports/session.js";
import { KEYS_OF_RUN, keysOf, keysOfStep, keysOfUndo } from "../check/used-keys.js";
import { type AxonDefinition, type StepDefinition, visitAxon } from "../definition/axon-definition.js";
import { encode, encodeBus } from "../kept/durable-value.js";
import { Journal, type JournalOptions } from "../kept/journal.js";
import { END, type Instruction } from "../run/instruction.js";
import type { RunState } from "../run/run-state.js";

export interface CheckpointOptions extends JournalOptions {
  readonly newId: () => string;
}

/** `keptAt` are the keys whose values are kept here. */
export const checkpointStep = (
  options: CheckpointOptions,
  node: string,
  keptAt: () => readonly AnyKey[],
): Instruction["step"] => ({
  run(input, { state }) {
    const duties = state.due();
    const { maxValueChars } = options.persistence;
    if (duties.journal === null) {
      const id = beginIn(state, options);
      if (id === undefined) return ID_INVALID;
      duties.journal = new Journal(options, id, state, options.owner);
    }
    const { journal } = duties;
    const written = journal.reached(() => ({
      node,
      input: encode(input, "input", maxValueChars),
      bus: encodeBus(
        keptAt(),
        (key) => {
          const known = state.values[state.slotOf(key)];
          if (known !== undefined || !isAddress(key)) return known;
          // What a request says is made at first read, and there is no request any longer by then.
          // A step may still verify the client: until it is read it stays to be made.
          return key === ClientIdentity ? state.peek(key) : state.make(key);
        },
        maxValueChars,
      ),
      jumps: state.jumpsTaken,
    }));
    return written instanceof Promise ? written.then((failed) => failed ?? input) : (written ?? input);
  },
});

/** An id may come from a header of the client. */
const ID_INVALID = fault(
  new ProblemDetail({
    ...{ status: 400, code: "RUN_ID_INVALID" },
    title: "The run's id is not well-formed text of 1 to 200 characters without NUL",
  }),
);

/** Writes on the Bus which run begins, and answers its id; undefined for an id that is none. */
function beginIn(state: RunState, { newId }: CheckpointOptions): string | undefined {
  const slot = state.slotOf(RunId);
  const id: unknown = state.values[slot] ?? state.make(RunId) ?? newId();
  if (!isKeptRunId(id)) return undefined;
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

/** What a request says of what is asked for, and of its client. Not its headers, cookies and query: they may hold secrets. */
const isAddress = (key: AnyKey): boolean => ADDRESS.has(key) || key.name.startsWith("param:");

/** What each process that resumes a run has of its own: its lock, its log. */
const OWN: readonly AnyKey[] = [...KEYS_OF_RUN, FencingToken, Log, FailureLog];

/** A step behind the first checkpoint uses a key that no log holds. */
export interface UnkeptKey {
  readonly step: string;
  readonly key: AnyKey;
}

/** Noted while an Axon is laid out, asked when it runs. */
export class KeptKeys {
  readonly unkept: UnkeptKey[] = [];
  #hasBegun = false;
  readonly #durable: ReadonlySet<AnyKey>;
  /** Written by steps at once, each on a Bus of its own: kept with what they completed alone. */
  readonly #beside: ReadonlySet<AnyKey>;
  /** By instruction: all that it uses, in whatever it runs. */
  readonly #uses = new Map<number, Iterable<AnyKey>>();
  /** Wherever a run is, it may have to undo what it has completed. */
  readonly #undoing = new Set<AnyKey>();

  constructor(axon: AxonDefinition) {
    this.#durable = durableKeys(axon);
    this.#beside = durableKeys(axon, true);
  }

  /**
   * Notes a step that has a checkpoint in front of it. Each but the first may run in a resumed run,
   * without the request. So may the first if jumps lead to it, and what undoes it.
   */
  checkpointed(step: StepDefinition, isJumpedTo: boolean): void {
    const isBehind = this.#hasBegun || isJumpedTo;
    this.#hasBegun = true;
    const own = { ...step, branches: new Map() };
    for (const key of isBehind ? keysOfStep(own) : keysOfUndo(own))
      if (!this.#durable.has(key) && !OWN.includes(key))
        this.unkept.push({ step: step.transition.name, key });
  }

  /** Before the first checkpoint: the facts of the request that the log keeps. */
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
    // A Set's iteration goes on with what is added meanwhile.
    for (const at of reached) {
      const { next, jumps, branches } = code[at] as Instruction;
      for (const to of [next, ...jumps.values(), ...branches.values()]) if (to !== END) reached.add(to);
      for (const key of this.#uses.get(at) ?? []) if (this.#durable.has(key)) kept.add(key);
    }
    return [...kept];
  }
}

/** `beside` says whether those count too that steps at once write. */
function durableKeys(axon: AxonDefinition, beside = false): ReadonlySet<AnyKey> {
  const keys = new Set<AnyKey>([...keysOf(axon)].filter(isAddress));
  visitAxon(axon, {
    step({ transition: { writes = [], mayWrite = [] }, body }) {
      for (const key of [...writes, ...mayWrite]) keys.add(key);
      return beside || body.kind !== "parallel";
    },
  });
  // A session is no data: it is bound to the cookie of its request.
  for (const key of [...KEYS_OF_RUN, Session]) keys.delete(key);
  return keys;
}
