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
