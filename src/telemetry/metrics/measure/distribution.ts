import { CELLS } from "./log-linear.js";

/** A distribution of samples as plain JSON. */
export interface Cells {
  /** Alternating cell index and number of samples, in the order of cells. */
  readonly pairs: readonly number[];
  readonly sumUs: number;
  readonly maxUs: number;
}

export const noCells: Cells = { pairs: [], sumUs: 0, maxUs: 0 };

/** Counts of samples by cell, with sum and maximum. 7 KB. */
export class Distribution {
  /** Doubles: the counts of a process's lifetime may exceed 32 bits. */
  readonly #cells = new Float64Array(CELLS);
  #count = 0;
  #sumUs = 0;
  #maxUs = 0;

  get count(): number {
    return this.#count;
  }

  add(cell: number, count: number): void {
    this.#cells[cell] = (this.#cells[cell] as number) + count;
    this.#count += count;
  }

  /** Adds the sum and the maximum of samples. */
  took(sumUs: number, maxUs: number): void {
    this.#sumUs += sumUs;
    if (maxUs > this.#maxUs) this.#maxUs = maxUs;
  }

  addCells({ pairs, sumUs, maxUs }: Cells): void {
    for (let at = 0; at < pairs.length; at += 2) this.add(pairs[at] as number, pairs[at + 1] as number);
    this.took(sumUs, maxUs);
  }

  cells(): Cells {
    if (this.#count === 0) return noCells;
    const pairs: number[] = [];
    for (let cell = 0; cell < CELLS; cell += 1) {
      const count = this.#cells[cell] as number;
      if (count > 0) pairs.push(cell, count);
    }
    return { pairs, sumUs: this.#sumUs, maxUs: this.#maxUs };
  }

  clear(): void {
    if (this.#count === 0) return;
    this.#cells.fill(0);
    this.#count = 0;
    this.#sumUs = 0;
    this.#maxUs = 0;
  }
}

/** Adds two distributions. */
export function mergeCells(left: Cells, right: Cells): Cells {
  if (left.pairs.length === 0) return right;
  if (right.pairs.length === 0) return left;
  const merged = new Distribution();
  merged.addCells(left);
  merged.addCells(right);
  return merged.cells();
}
