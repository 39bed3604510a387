// The files below one root, as they are asked for.
//
//   SF1. What is answered from memory was looked at no more than `maxAgeMs` ago, and was then
//        what it is. What is older is looked at again before anybody is answered with it.
//   SF2. What is not in memory is looked at for each request.
//   SF3. Nothing is read before somebody asks for it, so that no number of files delays a start.

import type { Reporter } from "#core/reporter.js";
import type { Coding } from "../accept-encoding.js";
import { Refusal } from "../refusal.js";
import { type CacheBounds, FileCache } from "./file-cache.js";
import { CODINGS, FileEntry } from "./file-entry.js";
import { FileSender } from "./file-sender.js";
import { type FileVariant, readVariant, type Stored } from "./file-variant.js";
import { Representation } from "./representation.js";
import { closeQuietly, type RootFolder } from "./root-folder.js";
import { SelectableFile } from "./selected-answer.js";
import { isServable } from "./servable-path.js";
import { Slots } from "./slots.js";

export interface FolderRules extends CacheBounds {
  /** Larger ones are read for each client. */
  readonly maxFileBytes: number;
  readonly maxAgeMs: number;
  readonly maxOpenFiles: number;
  readonly precompressed: boolean;
  readonly nosniff: boolean;
  readonly wellKnown: boolean;
  readonly typeOf: (path: string) => string;
  readonly cacheControlOf: (path: string) => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is looked at or read into memory at once: the pool behind it has four threads. */
const MAX_LOOKED_AT = 16;

/** What waits for that, whoever waits for it still: a disk may hang for hours. */
const MAX_FLIGHTS = 4096;

const OVERLOADED = new Refusal("OVERLOADED", { headers: { "retry-after": "1" } });

const SUFFIXES: Readonly<Record<Stored, string>> = { identity: "", br: ".br", gzip: ".gz" };

export class ServedFolder {
  readonly root: RootFolder;
  readonly #rules: FolderRules;
  readonly #cache: FileCache;
  readonly #sender: FileSender;
  readonly #slots = new Slots(MAX_LOOKED_AT);
  /** Those that are being looked at: who asks meanwhile gets the same. */
  readonly #flights = new Map<string, Promise<FileEntry | undefined>>();
  readonly #codings: readonly Coding[];

  constructor(root: RootFolder, rules: FolderRules, reporter: Reporter, production: boolean) {
    this.root = root;
    this.#rules = rules;
    this.#cache = new FileCache(rules);
    this.#sender = new FileSender({ root, maxOpenFiles: rules.maxOpenFiles, reporter, production });
    this.#codings = rules.precompressed ? CODINGS : [];
  }

  get now(): number {
    return this.#rules.now();
  }

  /** Whether the path may be looked up at all. */
  takes(path: string): boolean {
    return isServable(path, this.#rules.wellKnown);
  }

  /** What is in memory and new enough (SF1). */
  remembered(path: string, now: number): FileEntry | undefined {
    const entry = this.#cache.get(path);
    if (entry === undefined) return undefined;
    const age = now - entry.checkedAt;
    // A clock that was set back says nothing of the age.
    return age >= 0 && age < this.#rules.maxAgeMs ? entry : undefined;
  }

  /**
   * Looks a path up that `takes` lets; undefined where no file is there, and a refusal where
   * too much is to be looked at. Rejects where the file system fails.
   */
  look(path: string): Promise<FileEntry | Refusal | undefined> {
    const flight = this.#flights.get(path);
    if (flight !== undefined) return flight;
    if (this.#flights.size >= MAX_FLIGHTS) return Promise.resolve(OVERLOADED);
    const begun = this.#look(path).finally(() => this.#flights.delete(path));
    this.#flights.set(path, begun);
    return begun;
  }

  async #look(path: string): Promise<FileEntry | undefined> {
    await new Promise<void>((enter) => this.#slots.take(enter));
    try {
      const known = this.#cache.get(path);
      const checkedAt = this.now;
      const entry = await this.#entryOf(path, known, checkedAt);
      if (entry === undefined) this.#cache.delete(path);
      else if (entry !== known) this.#cache.set(path, entry);
      else entry.checkedAt = checkedAt;
      return entry;
    } finally {
      this.#slots.leave();
    }
  }

  /** The known one where nothing has changed. */
  async #entryOf(
    path: string,
    known: FileEntry | undefined,
    checkedAt: number,
  ): Promise<FileEntry | undefined> {
    const [identity, ...coded] = await Promise.all(
      (["identity", ...this.#codings] as const).map((stored) =>
        this.#variantOf(path, stored, known?.get(stored)?.variant),
      ),
    );
    if (identity === undefined) return undefined;
    const variants = [identity, ...coded.filter((variant) => variant !== undefined)];
    if (known?.isOf(variants)) return known;
    const head = {
      type: this.#rules.typeOf(path),
      cacheControl: this.#rules.cacheControlOf(path),
      varies: variants.length > 1,
      nosniff: this.#rules.nosniff,
    };
    const files = variants.map((variant) => {
      const file = new Representation(variant, head, checkedAt);
      return [variant.stored, new SelectableFile(file, this.#sender)] as const;
    });
    return new FileEntry(new Map(files), checkedAt);
  }

  async #variantOf(
    path: string,
    stored: Stored,
    known: FileVariant | undefined,
  ): Promise<FileVariant | undefined> {
    const file = path + SUFFIXES[stored];
    const { root } = this;
    if (known !== undefined) {
      const stats = await root.stat(file);
      if (stats !== undefined && known.isStill(stats)) return known;
    }
    const opened = await root.open(file);
    if (opened === undefined) return undefined;
    try {
      return await readVariant(stored, file, opened, this.#rules.maxFileBytes, this.#rules.now);
    } finally {
      closeQuietly(opened.fd);
    }
  }
}
