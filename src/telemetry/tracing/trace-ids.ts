// Generates ids of traces and spans. Random bytes are drawn in bulk: each call of the generator
// costs a microsecond.

import { randomFillSync } from "node:crypto";

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/**
 * Offset of the randomness in a trace id: its last 7 bytes (W3C Trace Context, level 2, section
 * 3.2.2.3). The first four of them are precise enough to sample by.
 */
const DECIDING_AT = 9;

/** The argument of {@link TraceIds.traceFrom} for a sampling ratio of 0 to 1. */
export const leastOf = (ratio: number): number => Math.round((1 - ratio) * 2 ** 32);

/**
 * The part of a trace id that is compared with it; consistent samplers of other systems compare the
 * same part.
 */
export const decidingPart = (traceId: string): number =>
  Number.parseInt(traceId.slice(2 * DECIDING_AT, 2 * DECIDING_AT + 8), 16);

/** Fills the bytes at random. Tests pass their own. */
export type Fill = (bytes: Uint8Array) => unknown;

/** Source of ids in lower-case hex: 16 bytes for a trace, 8 for a span. */
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

  /**
   * The id of a new trace if its deciding part is at least `least`. Otherwise undefined, without
   * building the text.
   */
  traceFrom(least: number): string | undefined {
    this.#fillFor(TRACE_BYTES);
    if (this.#random.readUInt32BE(this.#drawn + DECIDING_AT) < least) {
      this.#drawn += TRACE_BYTES;
      return undefined;
    }
    return this.#draw(TRACE_BYTES);
  }

  #draw(bytes: number): string {
    this.#fillFor(bytes);
    const id = this.#random.toString("hex", this.#drawn, this.#drawn + bytes);
    this.#drawn += bytes;
    // An id of all zeroes is invalid.
    return isZero(id) ? this.#draw(bytes) : id;
  }

  #fillFor(bytes: number): void {
    if (this.#drawn + bytes <= this.#random.length) return;
    this.#fill(this.#random);
    this.#drawn = 0;
  }
}

export const isZero = (id: string): boolean => /^0+$/.test(id);

export const traceIds = new TraceIds();
