import { type Branch, branch } from "#core/outcome.js";

/** What a predicate leaves over: of a type guard the rest of the type, of any other predicate all of it. */
type Rest<In, Kept> = [In] extends [Kept] ? In : Exclude<In, Kept>;

/**
 * Lets pass what the predicate holds for; all else goes through branch "rejected".
 * A type guard narrows what passes.
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
