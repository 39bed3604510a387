import { randomBytes } from "node:crypto";
import { closeSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKED_BYTES = 16_384;

/** Bytes kept in memory. Further pieces go into a file. */
const MEMORY_BYTES = 1_048_576;

interface Pack {
  readonly bytes: Uint8Array;
  used: number;
}

/** Reserves memory for all bytes of the queue. Returns false if there is no room. */
type Reserve = (bytes: number) => boolean;

/** A queue of copied pieces. Small pieces are packed into one object. `push` and `shift` throw file-system errors. */
export class PieceQueue {
  readonly #reserve: Reserve;
  #packs: Pack[] = [];
  /** Bytes in memory. */
  inMemory = 0;
  /** Pieces that arrived after those in memory. */
  #file: SpillFile | undefined;

  constructor(reserve: Reserve = () => true) {
    this.#reserve = reserve;
  }

  /** Length in bytes. */
  get length(): number {
    return this.inMemory + (this.#file?.length ?? 0);
  }

  push(piece: Uint8Array): void {
    const spilt = this.#file?.length ?? 0;
    const inMemory = this.inMemory + piece.length;
    if (spilt > 0 || inMemory > MEMORY_BYTES || !this.#reserve(inMemory)) {
      this.#file ??= new SpillFile();
      this.#file.push(piece);
    } else {
      this.#pack(piece);
    }
  }

  shift(): Uint8Array | undefined {
    const pack = this.#packs.shift();
    if (pack === undefined) return this.#file?.shift();
    this.inMemory -= pack.used;
    this.#reserve(this.inMemory);
    return pack.bytes.subarray(0, pack.used);
  }

  clear(): void {
    this.inMemory = 0;
    this.#reserve(0);
    this.#packs = [];
    this.#file?.close();
    this.#file = undefined;
  }

  #pack(piece: Uint8Array): void {
    this.inMemory += piece.length;
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

const READ_BYTES = 262_144;

/** A queue in an unlinked file, which leaves nothing behind. Every call may throw file-system errors. */
export class SpillFile {
  readonly #fd: number;
  #written = 0;
  #read = 0;

  constructor() {
    const path = join(tmpdir(), `framework-body-${randomBytes(16).toString("hex")}`);
    this.#fd = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  /** Length in bytes. */
  get length(): number {
    return this.#written - this.#read;
  }

  // Synchronous: an asynchronous write would keep the piece in memory until it settles.
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      const count = writeSync(this.#fd, piece, at, piece.length - at, this.#written);
      at += count;
      this.#written += count;
    }
  }

  /** Up to READ_BYTES; undefined if the queue is empty. */
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
