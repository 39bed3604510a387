/** Times may come in another order, but not by more. */
const SET_BACK_MS = 10_000;

/** A token bucket: `atOnce` tokens, refilled evenly by `perSecond`. */
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

  isFull(now: number): boolean {
    return this.#left + Math.max(0, now - this.#at) * this.#perMs >= this.#atOnce;
  }

  /** Takes one, if there is one. `now` is in milliseconds; where it was set back it counts from there. */
  take(now: number): boolean {
    if (now < this.#at - SET_BACK_MS) this.#at = now;
    if (now > this.#at) {
      this.#left = Math.min(this.#atOnce, this.#left + (now - this.#at) * this.#perMs);
      this.#at = now;
    }
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

/** One for each name. */
export class Allowances {
  readonly #make: () => Allowance;
  readonly #max: number;
  // In the order of their last use.
  readonly #byName = new Map<string, Allowance>();
  /** Shared by the names beyond `max`. */
  readonly #others: Allowance;

  /** A name beyond `max` shares one with others like it, until the least recent of the `max` is full again. */
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
    // A full one is like a new one.
    return oldest.isFull(now) && this.#byName.delete(name);
  }
}
