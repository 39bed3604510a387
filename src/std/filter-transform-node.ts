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
