// Ids of traces and of their parts. Random bytes are drawn for many at once: each
// call of the generator costs a microsecond.

import { randomFillSync } from "node:crypto";

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/**
 * Where the randomness of a trace's id begins: in its last 7 bytes (W3C Trace Context, level 2,
 * section 3.2.2.3), of which the first four decide finely enough.
 */
const DECIDING_AT = 9;

/** What {@link TraceIds.traceFrom} needs for a part of all traces, 0 to 1. */
export const leastOf = (ratio: number): number => Math.round((1 - ratio) * 2 ** 32);

/** What of a trace's id is compared with that. Consistent samplers elsewhere compare the same. */
export const decidingPart = (traceId: string): number =>
  Number.parseInt(traceId.slice(2 * DECIDING_AT, 2 * DECIDING_AT + 8), 16);

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

  /**
   * The id of a new trace, where its deciding part is a number from `least` on; undefined,
   * which costs no text, where it is below that.
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
    // All zeroes is what the specification calls no id.
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
