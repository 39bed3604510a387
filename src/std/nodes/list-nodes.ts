import { invalidOption } from "#core/invalid-option.js";

/** Filters a list by `keep` and transforms the kept items. A type guard narrows their type. */
export class FilterTransformNode<In, Out, Kept extends In = In> {
  readonly name = "FilterTransformNode";
  readonly #keep: (item: In) => boolean;
  readonly #transform: (item: Kept) => Out;

  constructor(keep: ((item: In) => item is Kept) | ((item: In) => boolean), transform: (item: Kept) => Out) {
    this.#keep = keep;
    this.#transform = transform;
  }

  run(items: readonly In[]): Out[] {
    const transformed: Out[] = [];
    for (const item of items) if (this.#keep(item)) transformed.push(this.#transform(item as Kept));
    return transformed;
  }
}

/** Maximum depth of the compiler's type of a flattened array. */
const MAX_DEPTH = 20;

/** Flattens nested lists: `depth` levels, by default one. */
export class FlattenNode<Item, const Depth extends number = 1> {
  readonly name = "FlattenNode";
  readonly #depth: number;

  constructor(depth?: Depth) {
    const levels = depth ?? 1;
    if (!Number.isInteger(levels) || levels < 1 || levels > MAX_DEPTH) {
      throw invalidOption(`FlattenNode(${levels})`, `depth must be a whole number from 1 to ${MAX_DEPTH}`);
    }
    this.#depth = levels;
  }

  run(items: readonly Item[]): FlatArray<readonly Item[], Depth>[] {
    return items.flat(this.#depth) as FlatArray<readonly Item[], Depth>[];
  }
}
