// A file at its last reading: a page, or its `.br`.

import { createHash } from "node:crypto";
import { fstat, read, type Stats } from "node:fs";
import { promisify } from "node:util";

import type { Coding } from "../plan/compression-rules.js";
import type { OpenedFile } from "./root-folder.js";

const statOfOpen = promisify(fstat);
export const readFrom = promisify(read);

/** A change within one tick of the file system's clock is invisible: 2 s on FAT, mostly 4 ms. */
const TICK_MS = 2000;

export type Stored = Coding | "identity";

export class FileVariant {
  readonly stored: Stored;
  /** Path below the root. */
  readonly path: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** Undefined for a file that is too large for memory. */
  readonly bytes: Buffer | undefined;
  /** A strong tag: a digest of `bytes`, equal on all servers, or else of size and time. */
  readonly etag: string;
  readonly #stats: Stats;
  readonly #readAt: number;

  constructor(stored: Stored, path: string, stats: Stats, bytes: Buffer | undefined, readAt: number) {
    const mark = bytes === undefined ? markOf(stats) : digestOf(bytes);
    this.stored = stored;
    this.path = path;
    this.size = stats.size;
    this.modifiedMs = stats.mtimeMs;
    this.bytes = bytes;
    this.etag = stored === "identity" ? `"${mark}"` : `"${mark}-${stored}"`;
    this.#stats = stats;
    this.#readAt = readAt;
  }

  /** True if the file is unchanged. */
  isOf(stats: Stats): boolean {
    return isSame(this.#stats, stats);
  }

  /** True if the bytes are certainly unchanged: they were read at least TICK_MS after the last change. */
  isStill(stats: Stats): boolean {
    return this.isOf(stats) && this.#readAt - Math.max(stats.mtimeMs, stats.ctimeMs) >= TICK_MS;
  }
}

export async function readVariant(
  stored: Stored,
  path: string,
  { fd, stats }: OpenedFile,
  maxBytes: number,
  now: () => number,
): Promise<FileVariant> {
  const readAt = now();
  const bytes = stats.size <= maxBytes ? await bytesOf(fd, stats) : undefined;
  return new FileVariant(stored, path, stats, bytes, readAt);
}

/** Undefined if the file changes during the read. */
async function bytesOf(fd: number, stats: Stats): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafeSlow(stats.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await readFrom(fd, bytes, length, bytes.length - length, length);
    if (bytesRead === 0) return undefined;
    length += bytesRead;
  }
  return isSame(stats, await statOfOpen(fd)) ? bytes : undefined;
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.size === other.size &&
  one.mtimeMs === other.mtimeMs &&
  one.ctimeMs === other.ctimeMs &&
  one.dev === other.dev;

/** A digest of 132 bits. */
const digestOf = (bytes: Buffer): string =>
  createHash("sha256").update(bytes).digest("base64url").slice(0, 22);

/** Size and time in microseconds, the precision of a double. */
const markOf = ({ size, mtimeMs }: Stats): string =>
  `${size.toString(36)}-${Math.floor(mtimeMs * 1000).toString(36)}`;
