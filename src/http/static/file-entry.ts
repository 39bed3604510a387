import { type Coding, chosenCoding, parseAcceptEncoding } from "../accept-encoding.js";
import type { FileVariant, Stored } from "./file-variant.js";
import type { SelectableFile } from "./selected-answer.js";

/** In the order of what is sent where a client likes both as much. */
export const CODINGS: readonly Coding[] = ["br", "gzip"];

/** What is known of one path: its file, and those beside it that hold the same compressed. */
export class FileEntry {
  /** When it was last looked at; that began then. */
  checkedAt: number;
  /** Whether it was asked for since its place was last looked for. */
  isUsed = true;
  readonly bytes: number;
  readonly #all: ReadonlyMap<Stored, SelectableFile>;
  readonly #codings: readonly Coding[];

  /** One of them is "identity". */
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

  /** Whether these variants are all of it. */
  isOf(variants: readonly FileVariant[]): boolean {
    return (
      variants.length === this.#all.size &&
      variants.every((variant) => this.#all.get(variant.stored)?.variant === variant)
    );
  }

  /** What suits an Accept-Encoding field best. Where it refuses all, what is not compressed. */
  chosenFor(acceptEncoding: string | undefined): SelectableFile {
    const chosen =
      acceptEncoding === undefined || this.#codings.length === 0
        ? undefined
        : chosenCoding(parseAcceptEncoding(acceptEncoding), this.#codings);
    return this.#all.get(chosen ?? "identity") as SelectableFile;
  }
}
