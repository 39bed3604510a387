// The oldest entry of a Map that evicts. V8 keeps deleted entries of a Map until it grows, as many as live
// ones, and each new walk from the front passes them all.
//
//   OE1. A walk goes on where it was: what it has passed is not passed again.
//   OE2. A walk that stands still holds each table that the Map has had since. It begins anew after as many
//        calls as there are entries: call `get` at each insertion.

export class OldestEntry<K, V> {
  readonly #map: Map<K, V>;
  #walk: MapIterator<[K, V]>;
  #reached: readonly [K, V] | undefined;
  #calls = 0;

  constructor(map: Map<K, V>) {
    this.#map = map;
    this.#walk = map.entries();
  }

  /** Undefined if the Map is empty. A key must be deleted before it is set again, and to another value. */
  get(): readonly [K, V] | undefined {
    this.#calls += 1;
    if (this.#calls > this.#map.size) this.#beginAnew();
    while (this.#map.size > 0) {
      const reached = this.#reached;
      if (reached !== undefined && this.#map.get(reached[0]) === reached[1]) return reached;
      const next = this.#walk.next();
      if (next.done === true) this.#beginAnew();
      else this.#reached = next.value;
    }
    return undefined;
  }

  #beginAnew(): void {
    this.#walk = this.#map.entries();
    this.#reached = undefined;
    this.#calls = 0;
  }
}
