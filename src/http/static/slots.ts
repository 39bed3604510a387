/** Places for what must not be done too often at once; who finds none waits for his turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Calls `enter`, at once or in its turn, once there is a place: whoever entered leaves. */
  take(enter: () => void): void {
    if (this.#free > 0) {
      this.#free -= 1;
      enter();
    } else this.#waiting.push(enter);
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
