/** Places for what must not be done too often at once; who finds none waits for his turn. */
export class Slots {
  #free: number;
  /** In the order in which they came. */
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Calls `enter`, at once or in its turn, once there is a place: whoever entered leaves.
   * Answers what gives the turn up: of who goes away while he waits nothing must be left.
   */
  take(enter: () => void): () => void {
    if (this.#free > 0) {
      this.#free -= 1;
      enter();
      return nothing;
    }
    // One that waits twice is two.
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
