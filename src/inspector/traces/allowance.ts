/** So many at once, and then so many a second, evenly spread. */
export class Allowance {
  readonly #atOnce: number;
  readonly #perMs: number;
  #left: number;
  #at = 0;

  constructor(atOnce: number, perSecond: number) {
    this.#atOnce = atOnce;
    this.#perMs = perSecond / 1000;
    this.#left = atOnce;
  }

  /** Whether nothing of it has been taken that is not there again. */
  isWhole(now: number): boolean {
    return this.#left + Math.max(0, now - this.#at) * this.#perMs >= this.#atOnce;
  }

  /** Takes one at a time, in milliseconds that never go back, if there is one. */
  take(now: number): boolean {
    if (now > this.#at) {
      this.#left = Math.min(this.#atOnce, this.#left + (now - this.#at) * this.#perMs);
      this.#at = now;
    }
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** One for each of those that are told apart by a name. */
export class Allowances {
  readonly #make: () => Allowance;
  readonly #max: number;
  // In the order in which they were asked for last.
  readonly #byName = new Map<string, Allowance>();
  /** Of all that are not known while there are too many. */
  readonly #others: Allowance;

  /** Of more than `max` names those share one that come last, until one of the others was not asked for for long. */
  constructor(max: number, make: () => Allowance) {
    this.#max = max;
    this.#make = make;
    this.#others = make();
  }

  take(name: string, now: number): boolean {
    const own = this.#byName.get(name) ?? (this.#hasRoom(now) ? this.#make() : undefined);
    if (own === undefined) return this.#others.take(now);
    this.#byName.delete(name);
    this.#byName.set(name, own);
    return own.take(now);
  }

  #hasRoom(now: number): boolean {
    if (this.#byName.size < this.#max) return true;
    const [name, oldest] = this.#byName.entries().next().value as [string, Allowance];
    // What is whole is as a new one is.
    return oldest.isWhole(now) && this.#byName.delete(name);
  }
}
