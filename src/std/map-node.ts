/** Goes on with what `map` makes of the input, now or later. */
export class MapNode<In, Out> {
  readonly name = "MapNode";
  readonly #map: (input: In) => Out;

  constructor(map: (input: In) => Out) {
    this.#map = map;
  }

  run(input: In): Out {
    return this.#map(input);
  }
}
