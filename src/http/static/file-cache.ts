import { chosenCoding, parseAcceptEncoding } from "../answer/accept-encoding.js";
import type { Coding } from "../plan/compression-rules.js";
import type { SelectableFile } from "./file-answers.js";
import type { FileVariant, Stored } from "./file-variant.js";

export interface CacheBounds {
  readonly maxFiles: number;
  /** Bytes, with 1 KiB added per file for its head. */
  readonly maxBytes: number;
}

const HEAD_BYTES = 1024;

/** Bounded cache of files by path. Eviction is CLOCK: a hit costs only the look-up. */
export class FileCache {
  readonly #entries = new Map<string, FileEntry>();
  readonly #bounds: CacheBounds;
  bytes = 0;

  constructor(bounds: CacheBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
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
    while (this.#entries.size >= maxFiles || this.bytes + bytes > maxBytes) this.#evict();
    this.#entries.set(path, entry);
    this.bytes += bytes;
  }

  delete(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    this.bytes -= weightOf(entry);
  }

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

/** Codings, best first. */
export const CODINGS: readonly Coding[] = ["br", "gzip"];

/** The file of a path, and its compressed variants. */
export class FileEntry {
  checkedAt: number;
  /** True if used since the clock hand passed last. */
  isUsed = true;
  readonly bytes: number;
  readonly #all: ReadonlyMap<Stored, SelectableFile>;
  readonly #codings: readonly Coding[];

  /** `all` must hold "identity". */
  constructor(all: ReadonlyMap<Stored, SelectableFile>, checkedAt: number) {
    let bytes = 0;
    for (const { variant } of all.values()) bytes += variant.bytes?.length ?? 0;
    this.#all = all;
    this.#codings = CODINGS.filter((coding) => all.has(coding));
    this.bytes = bytes;
    this.checkedAt = checkedAt;
  }

  get(stored: Stored): SelectableFile | undefined {
    return this.#all.get(stored);
  }

  isOf(variants: readonly FileVariant[]): boolean {
    return (
      variants.length === this.#all.size &&
      variants.every((variant) => this.#all.get(variant.stored)?.variant === variant)
    );
  }

  /** The preferred variant. If the field refuses all, the uncompressed one. */
  chosenFor(acceptEncoding: string | undefined): SelectableFile {
    const chosen =
      acceptEncoding === undefined || this.#codings.length === 0
        ? undefined
        : chosenCoding(parseAcceptEncoding(acceptEncoding), this.#codings);
    return this.#all.get(chosen ?? "identity") as SelectableFile;
  }
}
