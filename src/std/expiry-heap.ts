/** What ends at some time. */
export interface Ending {
  /** When it ends, in milliseconds. */
  endsAt: number;
  /** Where it stands in its heap; -1 for what is in none. */
  place: number;
}

/** Things by the time at which they end, the first on top: a binary heap. A change costs as many comparisons as twice the logarithm of its size. */
export class ExpiryHeap<T extends Ending> {
  readonly #things: T[] = [];

  /** The one that ends first. */
  get first(): T | undefined {
    return this.#things[0];
  }

  add(thing: T): void {
    this.#things.push(thing);
    this.#rise(thing, this.#things.length - 1);
  }

  /** To be told when one ends at another time than before. */
  changed(thing: T): void {
    this.#rise(thing, thing.place);
    this.#sink(thing, thing.place);
  }

  remove(thing: T): void {
    const { place } = thing;
    const last = this.#things.pop() as T;
    thing.place = -1;
    if (last === thing) return;
    this.#put(last, place);
    this.changed(last);
  }

  #rise(thing: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#things[above] as T;
      if (other.endsAt <= thing.endsAt) break;
      this.#put(other, place);
      place = above;
    }
    this.#put(thing, place);
  }

  #sink(thing: T, from: number): void {
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.#things.length) break;
      let next = this.#things[below] as T;
      const other = this.#things[below + 1];
      if (other !== undefined && other.endsAt < next.endsAt) {
        below += 1;
        next = other;
      }
      if (next.endsAt >= thing.endsAt) break;
      this.#put(next, place);
      place = below;
    }
    this.#put(thing, place);
  }

  #put(thing: T, place: number): void {
    this.#things[place] = thing;
    thing.place = place;
  }
}
