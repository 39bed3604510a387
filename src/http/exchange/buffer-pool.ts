import { Buffer } from "node:buffer";

/** Smaller buffers are left to V8. */
const LEAST_BYTES = 16_384;
const MAX_FREE_BYTES = 33_554_432;
/** Bytes that are kept while no buffer is in use. */
const MAX_IDLE_BYTES = 4_194_304;

/**
 * Buffers of bodies, for reuse. V8 sees few objects in them and collects late: without reuse dead
 * buffers of 64 MB pile up. Sizes are powers of two; memory of which nothing was written is not taken.
 */
export class BufferPool {
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;
  #inUse = 0;

  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** A buffer of at least `bytes`, with any content. Give it back by `give`, once. */
  take(bytes: number): Buffer {
    this.#inUse += 1;
    if (bytes < LEAST_BYTES) return Buffer.allocUnsafe(bytes);
    const size = 2 ** Math.ceil(Math.log2(bytes));
    const free = this.#free.get(size)?.pop();
    if (free === undefined) return Buffer.allocUnsafeSlow(size);
    this.#freeBytes -= size;
    return free;
  }

  /** The caller uses no part of the buffer from here on. */
  give(buffer: Buffer): void {
    this.#inUse -= 1;
    const { length } = buffer;
    if (length >= LEAST_BYTES && this.#freeBytes + length <= MAX_FREE_BYTES) {
      this.#freeBytes += length;
      const free = this.#free.get(length);
      if (free === undefined) this.#free.set(length, [buffer]);
      else free.push(buffer);
    }
    if (this.#inUse > 0 || this.#freeBytes <= MAX_IDLE_BYTES) return;
    this.#free.clear();
    this.#freeBytes = 0;
  }
}
