import { SpillFile } from "./spill-file.js";

/** What a small piece is copied into, together with those that follow it. */
const PACKED_BYTES = 16_384;

/** How much is kept in memory; what comes on top of it goes into a file. */
const MEMORY_BYTES = 1_048_576;

interface Pack {
  readonly bytes: Uint8Array;
  used: number;
}

/**
 * Copies of pieces, first in, first out. Small ones are packed together: a client that
 * sends a byte at a time must not make us keep an object for each. `push` and `shift`
 * throw what the file system throws.
 */
export class PieceQueue {
  #packs: Pack[] = [];
  #inMemory = 0;
  /** Holds what came later than all that is in memory. */
  #file: SpillFile | undefined;

  /** Bytes that wait. */
  get length(): number {
    return this.#inMemory + (this.#file?.length ?? 0);
  }

  push(piece: Uint8Array): void {
    const spilt = this.#file?.length ?? 0;
    if (spilt > 0 || this.#inMemory + piece.length > MEMORY_BYTES) {
      this.#file ??= new SpillFile();
      this.#file.push(piece);
    } else {
      this.#pack(piece);
    }
  }

  /** The next piece, or undefined where none waits. */
  shift(): Uint8Array | undefined {
    const pack = this.#packs.shift();
    if (pack === undefined) return this.#file?.shift();
    this.#inMemory -= pack.used;
    return pack.bytes.subarray(0, pack.used);
  }

  clear(): void {
    this.#inMemory = 0;
    this.#packs = [];
    this.#file?.close();
    this.#file = undefined;
  }

  #pack(piece: Uint8Array): void {
    this.#inMemory += piece.length;
    const last = this.#packs.at(-1);
    if (last !== undefined && last.used + piece.length <= last.bytes.length) {
      last.bytes.set(piece, last.used);
      last.used += piece.length;
    } else {
      const bytes = new Uint8Array(Math.max(piece.length, PACKED_BYTES));
      bytes.set(piece);
      this.#packs.push({ bytes, used: piece.length });
    }
  }
}
