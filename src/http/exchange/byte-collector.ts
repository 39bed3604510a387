/** Copies pieces into one buffer, so that a client that sends single bytes costs no object per byte. */
export class ByteCollector {
  length = 0;
  #buffer: Buffer;

  /** `expected` is the initial size in bytes. The buffer doubles when it is full. */
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
