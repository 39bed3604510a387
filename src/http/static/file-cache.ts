import type { FileEntry } from "./file-entry.js";

export interface CacheBounds {
  readonly maxFiles: number;
  /** What all files together have in it, with 1 KiB for the head of each. */
  readonly maxBytes: number;
}

/** What a file takes beside its bytes: its path, its heads. */
const HEAD_BYTES = 1024;

/**
 * Files by their paths, within bounds. Who makes room goes round as a clock's hand does: what
 * was asked for since it last came by stays. A hit so costs no more than the look-up.
 */
export class FileCache {
  readonly #entries = new Map<string, FileEntry>();
  readonly #bounds: CacheBounds;
  #bytes = 0;

  constructor(bounds: CacheBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(path: string): FileEntry | undefined {
    const entry = this.#entries.get(path);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  set(path: string, entry: FileEntry): void {
    this.delete(path);
    const bytes = weightOf(entry);
    const { maxFiles, maxBytes } = this.#bounds;
    if (maxFiles === 0 || bytes > maxBytes) return;
    while (this.#entries.size >= maxFiles || this.#bytes + bytes > maxBytes) this.#evict();
    this.#entries.set(path, entry);
    this.#bytes += bytes;
  }

  delete(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    this.#bytes -= weightOf(entry);
  }

  /** Ends: whoever is passed over is not used any more when the hand comes round. */
  #evict(): void {
    for (const [path, entry] of this.#entries) {
      if (!entry.isUsed) {
        this.delete(path);
        return;
      }
      entry.isUsed = false;
      this.#entries.delete(path);
      this.#entries.set(path, entry);
    }
  }
}

const weightOf = ({ bytes }: FileEntry): number => bytes + HEAD_BYTES;
