/** A semaphore, first come, first served. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Length of the queue. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls `enter` when a slot is free, at once or in order. `leave` releases the slot. Returns a function that cancels the wait. */
  take(enter: () => void): () => void {
    if (this.#free > 0) {
      this.#free -= 1;
      enter();
      return nothing;
    }
    // A unique function, because one `enter` may wait twice.
    const turn = (): void => enter();
    this.#waiting.add(turn);
    return () => this.#waiting.delete(turn);
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}

const nothing = (): void => {};
