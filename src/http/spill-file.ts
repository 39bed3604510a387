import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const READ_BYTES = 262_144;

/**
 * Bytes that memory has no room for, first in, first out. The file has no name once it
 * is open, so that nothing is left of it however the process ends. Every call may throw
 * what the file system throws.
 */
export class SpillFile {
  readonly #fd: number;
  #written = 0;
  #read = 0;

  constructor() {
    const path = join(tmpdir(), `framework-body-${randomBytes(16).toString("hex")}`);
    this.#fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  /** Bytes that wait. */
  get length(): number {
    return this.#written - this.#read;
  }

  // Not later, in a promise: until then the piece would have to be kept in memory.
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const count = writeSync(this.#fd, piece, at, piece.length - at, this.#written);
      at += count;
      this.#written += count;
    }
  }

  /** Some of what waits, or undefined where nothing does. */
  shift(): Uint8Array | undefined {
    if (this.length === 0) return undefined;
    const piece = new Uint8Array(Math.min(READ_BYTES, this.length));
    const count = readSync(this.#fd, piece, 0, piece.length, this.#read);
    this.#read += count;
    if (this.length === 0) this.#empty();
    return piece.subarray(0, count);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #empty(): void {
    ftruncateSync(this.#fd, 0);
    this.#written = 0;
    this.#read = 0;
  }
}
