/**
 * Pieces of bytes as one, copied as they come: a client that sends a byte at a time must
 * not make us keep an object for each.
 */
export class Collected {
  length = 0;
  #buffer: Buffer;

  /** How much it has room for at first; that is doubled as it grows. */
  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(expected);
  }

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      larger.set(this.#buffer.subarray(0, this.length));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.length);
    this.length = needed;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }
}
