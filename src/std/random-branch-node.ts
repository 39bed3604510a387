import { branch } from "#core/outcome.js";
import type { BranchTo } from "./branch-to.js";
import { invalidOption } from "./invalid-option.js";

export interface RandomBranchOptions {
  /** A number from 0 up to, not including, 1. Tests pass their own. */
  readonly random?: () => number;
}

/** Sums of decimal shares, such as ten times 0.1, may miss 1 by so much. */
const ROUNDING = 1e-9;

/**
 * Sends a share of the inputs through each branch, `{ canary: 0.05 }`; the rest goes
 * on in the main line.
 */
export class RandomBranchNode<In, const Id extends string> {
  readonly name = "RandomBranchNode";
  readonly description: string;
  readonly branches: readonly Id[];
  /** By branch: below which number it is taken. */
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
