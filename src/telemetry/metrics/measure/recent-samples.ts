import type { Distribution } from "./distribution.js";
import { CELLS } from "./log-linear.js";
import { KEPT_TICKS } from "./seconds.js";
import type { Slab } from "./slab.js";

// Tick, maximum, sum in two words, number of cells; then the cells.
const HEAD = 5;
const CELL_BITS = 10;
// A constant: a power would be computed at each use.
const CELL_MASK = 2 ** CELL_BITS - 1;
const MOST_IN_WORD = 2 ** (32 - CELL_BITS) - 1;
const WORD = 2 ** 32;
const FIRST_WORDS = 64;

/**
 * The samples of the last ticks (or slices), by default 60, one word per cell with samples. A second without samples takes
 * no space. 4 bytes per cell and second: a few kilobytes for similar durations, 215 KB if each
 * second had samples in every cell.
 */
export class RecentSamples {
  // A ring: #length words from #first on, wrapping at the end.
  #words = new Uint32Array(FIRST_WORDS);
  readonly #kept: number;
  #first = 0;
  #length = 0;

  constructor(kept = KEPT_TICKS) {
    this.#kept = kept;
  }

  /** Stores the samples of a tick, and drops those that are too old. */
  take(tick: number, slab: Slab): void {
    this.#forget(tick - this.#kept);
    const head = this.#length;
    this.#push(tick);
    this.#push(slab.maxUs);
    this.#push(slab.sumUs);
    this.#push(Math.floor(slab.sumUs / WORD));
    this.#push(0);
    for (let cell = 0; cell < CELLS; cell += 1) {
      let count = slab.cells[cell] as number;
      for (; count > 0; count -= Math.min(count, MOST_IN_WORD))
        this.#push(cell | (Math.min(count, MOST_IN_WORD) << CELL_BITS));
    }
    this.#words[this.#at(head + 4)] = this.#length - head - HEAD;
  }

  /** Adds the samples between two ticks to `distribution`. */
  addTo(distribution: Distribution, firstTick: number, lastTick = Number.POSITIVE_INFINITY): void {
    for (let at = 0; at < this.#length; at += HEAD + this.#word(at + 4)) {
      const tick = this.#word(at);
      if (tick >= firstTick && tick <= lastTick) this.#addSecond(at, distribution);
    }
  }

  #addSecond(at: number, distribution: Distribution): void {
    distribution.took(this.#word(at + 2) + this.#word(at + 3) * WORD, this.#word(at + 1));
    const words = this.#words;
    const mask = words.length - 1;
    const begin = this.#first + at + HEAD;
    const end = begin + this.#word(at + 4);
    for (let next = begin; next < end; next += 1) {
      const word = words[next & mask] as number;
      distribution.add(word & CELL_MASK, word >>> CELL_BITS);
    }
  }

  /** Memory in bytes. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  /** Drops the samples up to a tick. */
  #forget(upTo: number): void {
    while (this.#length > 0 && this.#word(0) <= upTo) {
      const gone = HEAD + this.#word(4);
      this.#first = this.#at(gone);
      this.#length -= gone;
    }
  }

  #push(word: number): void {
    if (this.#length === this.#words.length) this.#grow();
    this.#words[this.#at(this.#length)] = word;
    this.#length += 1;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    for (let at = 0; at < this.#length; at += 1) words[at] = this.#word(at);
    this.#words = words;
    this.#first = 0;
  }

  #word(at: number): number {
    return this.#words[this.#at(at)] as number;
  }

  /** Wraps an index; the length is a power of two. */
  #at(place: number): number {
    return (this.#first + place) & (this.#words.length - 1);
  }
}
