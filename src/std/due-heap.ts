export interface Due {
  /** When it is due, in milliseconds. */
  dueAt: number;
  /** Its index in the heap; -1 outside one. */
  place: number;
}

/**
 * A binary heap, earliest first. It is ordered when `first` is first read. Before that a change costs
 * nothing, afterwards about twice log2 of the size in comparisons.
 */
export class DueHeap<T extends Due> {
  readonly #items: T[] = [];
  #isOrdered = false;

  get first(): T | undefined {
    if (!this.#isOrdered) this.#order();
    return this.#items[0];
  }

  add(item: T): void {
    item.place = this.#items.push(item) - 1;
    this.changed(item);
  }

  /** Call it after a change of an item's `dueAt`. Ignores an item outside the heap. */
  changed(item: T): void {
    if (!this.#isOrdered || item.place < 0) return;
    this.#rise(item);
    this.#sink(item);
  }

  remove(item: T): void {
    const { place } = item;
    const last = this.#items.pop() as T;
    item.place = -1;
    if (last === item) return;
    this.#put(last, place);
    this.changed(last);
  }

  #order(): void {
    for (let place = (this.#items.length >> 1) - 1; place >= 0; place -= 1)
      this.#sink(this.#items[place] as T);
    this.#isOrdered = true;
  }

  #rise(item: T): void {
    let { place } = item;
    while (place > 0) {
      const above = this.#items[(place - 1) >> 1] as T;
      if (above.dueAt <= item.dueAt) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(item, place);
  }

  #sink(item: T): void {
    const { dueAt } = item;
    let { place } = item;
    for (;;) {
      const below = 2 * place + 1;
      const left = this.#items[below];
      if (left === undefined) break;
      const right = this.#items[below + 1];
      const isRight = right !== undefined && right.dueAt < left.dueAt;
      const next = isRight ? right : left;
      if (next.dueAt >= dueAt) break;
      this.#put(next, place);
      place = isRight ? below + 1 : below;
    }
    this.#put(item, place);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
