import { invalidOption } from "#core/invalid-option.js";

/** Of a list, keeps the items that `keep` holds for, and transforms those. A type guard narrows what is transformed. */
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

/** As deep as the compiler's type of a flattened array goes. */
const MAX_DEPTH = 20;

/** Puts the items of lists in lists into one list: `depth` levels of them, one unless said otherwise. */
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
