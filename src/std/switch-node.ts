import { branch } from "#core/outcome.js";
import type { BranchTo } from "./branch-to.js";
import { invalidOption } from "./invalid-option.js";

/**
 * Sends each input through one of its branches. Where `choose` answers undefined,
 * the input goes on in the main line.
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
