// Ids of traces and of their parts. Random bytes are drawn for many at once: each
// call of the generator costs a microsecond.

import { randomFillSync } from "node:crypto";

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** Fills memory with random bytes. Tests pass their own. */
export type Fill = (bytes: Uint8Array) => unknown;

/** Where ids come from: 16 bytes for a trace, 8 for a part of it, as digits in lower case. */
export class TraceIds {
  readonly #random = Buffer.alloc(SPAN_BYTES * 512);
  readonly #fill: Fill;
  #drawn = this.#random.length;

  constructor(fill: Fill = randomFillSync) {
    this.#fill = fill;
  }

  trace(): string {
    return this.#draw(TRACE_BYTES);
  }

  span(): string {
    return this.#draw(SPAN_BYTES);
  }

  #draw(bytes: number): string {
    if (this.#drawn + bytes > this.#random.length) {
      this.#fill(this.#random);
      this.#drawn = 0;
    }
    const id = this.#random.toString("hex", this.#drawn, this.#drawn + bytes);
    this.#drawn += bytes;
    // All zeroes is what the specification calls no id.
    return isZero(id) ? this.#draw(bytes) : id;
  }
}

export const isZero = (id: string): boolean => /^0+$/.test(id);

export const traceIds = new TraceIds();
