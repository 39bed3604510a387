import { type Branch, branch } from "#core/bus/outcome.js";
import { invalidOption } from "#core/invalid-option.js";

/** The type that a predicate rejects: for a type guard the rest of the type, for other predicates all of it. */
type Rest<In, Kept> = [In] extends [Kept] ? In : Exclude<In, Kept>;

/**
 * Passes inputs that satisfy the predicate. Others take branch "rejected". A type guard narrows the
 * passed type.
 */
export class FilterNode<In, Kept extends In = In> {
  readonly name = "FilterNode";
  readonly branches = ["rejected"] as const;
  readonly #keep: (input: In) => boolean;

  constructor(keep: ((input: In) => input is Kept) | ((input: In) => boolean)) {
    this.#keep = keep;
  }

  run(input: In): Kept | Branch<"rejected", Rest<In, Kept>> {
    return this.#keep(input) ? (input as Kept) : branch("rejected", input as Rest<In, Kept>);
  }
}

/** One Branch type for each id: attaching an Axon to one closes only that one. */
type BranchTo<Id, Payload> = Id extends string ? Branch<Id, Payload> : never;

/**
 * Sends each input to one of its branches. If `choose` returns undefined, the input continues on the
 * main line.
 */
export class SwitchNode<In, const Id extends string, Chosen extends Id | undefined = Id> {
  readonly name = "SwitchNode";
  readonly branches: readonly Id[];
  readonly #choose: (input: In) => Chosen;

  constructor(branches: readonly Id[], choose: (input: In) => Chosen) {
    if (branches.length === 0 || branches.includes("" as Id) || new Set(branches).size < branches.length) {
      throw invalidOption(
        `SwitchNode(${JSON.stringify(branches)})`,
        "give at least one branch, each with a name of its own",
      );
    }
    this.branches = Object.freeze([...branches]);
    this.#choose = choose;
  }

  run(input: In): BranchTo<Id, In> | (undefined extends Chosen ? In : never) {
    const id = this.#choose(input);
    return (id === undefined ? input : branch(id, input)) as ReturnType<this["run"]>;
  }
}

export interface RandomBranchOptions {
  /** A number from 0 up to, not including, 1. Tests pass their own. */
  readonly random?: () => number;
}

/** Rounding error of sums of decimal shares, such as ten times 0.1. */
const ROUNDING = 1e-9;

/**
 * Sends a share of the inputs to each branch, `{ canary: 0.05 }`. The rest continues on the main
 * line.
 */
export class RandomBranchNode<In, const Id extends string> {
  readonly name = "RandomBranchNode";
  /** A replay takes the branch that was drawn. */
  readonly effect = true;
  readonly description: string;
  readonly branches: readonly Id[];
  /** By branch: the upper bound of the numbers that select it. */
  readonly #bounds: readonly number[];
  readonly #random: () => number;

  constructor(shares: Readonly<Record<Id, number>>, options: RandomBranchOptions = {}) {
    const entries = Object.entries(shares) as [Id, number][];
    const total = entries.reduce((sum, [, share]) => sum + share, 0);
    if (!entries.every(([id, share]) => id !== "" && share >= 0) || !(total <= 1 + ROUNDING)) {
      throw invalidOption(
        `RandomBranchNode(${JSON.stringify(shares)})`,
        "each share must be from 0 to 1, and all together at most 1",
      );
    }
    if (entries.length === 0) throw invalidOption("RandomBranchNode({})", "name at least one branch");
    this.description = entries.map(([id, share]) => `${id} ${share}`).join(", ");
    this.branches = Object.freeze(entries.map(([id]) => id));
    let bound = 0;
    this.#bounds = entries.map(([, share]) => {
      bound += share;
      return bound;
    });
    this.#random = options.random ?? Math.random;
  }

  run(input: In): In | BranchTo<Id, In> {
    const drawn = this.#random();
    const id = this.branches[this.#bounds.findIndex((bound) => drawn < bound)];
    return id === undefined ? input : (branch(id, input) as BranchTo<Id, In>);
  }
}
