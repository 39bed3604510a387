/** What is read and written at once. */
const PIECE_BYTES = 131_072;

/** More than these are made anew where more clients take files at once. */
const MAX_SPARE = 32;

/** Buffers of one piece, used again and again. */
export class PieceBuffers {
  readonly #spare: Buffer[] = [];

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  give(buffer: Buffer): void {
    if (this.#spare.length < MAX_SPARE) this.#spare.push(buffer);
  }
}
