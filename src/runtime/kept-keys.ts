// Which values of the Bus a checkpoint keeps: what steps wrote and what was asked for, as
// far as a step ahead uses it, or what undoes one does. What comes from outside, resources
// and what a run is given, is given again to whoever resumes it.

import type { AnyKey } from "#core/bus-key.js";
import { PathParams, RequestId, RequestMethod, RequestPath } from "#core/ingress-facts.js";
import { RunId } from "#core/run-store.js";
import { type AxonDefinition, allStepsOf, type StepDefinition } from "./axon-definition.js";
import { END, type Instruction } from "./instruction.js";
import { keysOf } from "./used-keys.js";

const ADDRESS: ReadonlySet<AnyKey> = new Set<AnyKey>([RequestId, RequestMethod, RequestPath, PathParams]);

/**
 * What a request says of what is asked for. Not its headers, cookies and query: they may
 * hold secrets. A step that has to know them after a stop writes them to a key of its own.
 */
export const isAddress = (key: AnyKey): boolean => ADDRESS.has(key) || key.name.startsWith("param:");

/** Noted while an Axon is laid out, asked when it runs. */
export class KeptKeys {
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

  usedAt(at: number, keys: Iterable<AnyKey>): void {
    this.#uses.set(at, keys);
  }

  /** Answers those of them that are kept. */
  usedToUndo(keys: readonly AnyKey[]): readonly AnyKey[] {
    for (const key of keys) if (this.#durable.has(key)) this.#undoing.add(key);
    return keys.filter((key) => this.#beside.has(key));
  }

  /** Those that are kept where a run is about to run instruction `from`. */
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
  const addStep = ({ transition, body, branches }: StepDefinition): void => {
    for (const key of [...(transition.writes ?? []), ...(transition.mayWrite ?? [])]) keys.add(key);
    if (body.kind === "subgraph") addAxon(body.axon);
    if (body.kind === "parallel" && beside) for (const inner of body.steps) addStep(inner);
    for (const attached of branches.values()) addAxon(attached);
  };
  const addAxon = (within: AxonDefinition): void => {
    for (const step of allStepsOf(within)) addStep(step);
  };
  addAxon(axon);
  keys.delete(RunId);
  return keys;
}
