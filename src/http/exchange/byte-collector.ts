import type { BufferPool } from "./buffer-pool.js";

const NONE = Buffer.alloc(0);

/** Copies pieces into one buffer, so that a client that sends single bytes costs no object per byte. */
export class ByteCollector {
  length = 0;
  #buffer: Buffer;
  readonly #pool: BufferPool | undefined;

  /** `expected` is the initial size in bytes. The buffer doubles when it is full. With a pool call `release`. */
  constructor(expected: number, pool?: BufferPool) {
    this.#pool = pool;
    this.#buffer = this.#take(expected);
  }

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = this.#take(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.length));
      this.#pool?.give(this.#buffer);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.length);
    this.length = needed;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  /** Ends the use of the bytes. Call it once. */
  release(): void {
    this.#pool?.give(this.#buffer);
    this.#buffer = NONE;
  }

  #take(bytes: number): Buffer {
    return this.#pool?.take(bytes) ?? Buffer.allocUnsafe(bytes);
  }
}
