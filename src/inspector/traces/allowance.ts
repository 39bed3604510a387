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
  readonly #byName = new Map<string, Allowance>();

  /** Of more than `max` names the one gives way that came first. */
  constructor(max: number, make: () => Allowance) {
    this.#max = max;
    this.#make = make;
  }

  take(name: string, now: number): boolean {
    let known = this.#byName.get(name);
    if (known === undefined) {
      const [first] = this.#byName.size < this.#max ? [] : this.#byName.keys();
      if (first !== undefined) this.#byName.delete(first);
      known = this.#make();
      this.#byName.set(name, known);
    }
    return known.take(now);
  }
}
