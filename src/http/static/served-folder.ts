// The files below one root. A cached file is checked again after `maxAgeMs`, before it is sent. Other
// files are looked up per request. Nothing is read at start.

import type { Reporter } from "#core/bus/reporter.js";
import type { Coding } from "../plan/compression-rules.js";
import { Refusal } from "../refusal/refusal.js";
import { Representation, SelectableFile } from "./file-answers.js";
import { type CacheBounds, CODINGS, FileCache, FileEntry } from "./file-cache.js";
import { FileSender } from "./file-sender.js";
import { type FileVariant, readVariant, type Stored } from "./file-variant.js";
import { isServable } from "./media-type.js";
import { closeQuietly, type RootFolder } from "./root-folder.js";
import { Slots } from "./slots.js";

export interface FolderRules extends CacheBounds {
  /** Larger files are read per request. */
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

/** Concurrent look-ups: libuv has four threads. */
const MAX_LOOKED_AT = 16;

/** Waiting look-ups: a disk may hang for hours. */
const MAX_FLIGHTS = 4096;

const OVERLOADED = new Refusal("OVERLOADED", { headers: { "retry-after": "1" } });

const SUFFIXES: Readonly<Record<Stored, string>> = { identity: "", br: ".br", gzip: ".gz" };

export class ServedFolder {
  readonly root: RootFolder;
  readonly #rules: FolderRules;
  readonly #cache: FileCache;
  readonly #sender: FileSender;
  readonly #slots = new Slots(MAX_LOOKED_AT);
  /** Look-ups in flight, shared by path. */
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

  takes(path: string): boolean {
    return isServable(path, this.#rules.wellKnown);
  }

  /** A cached file within `maxAgeMs`. */
  remembered(path: string, now: number): FileEntry | undefined {
    const entry = this.#cache.get(path);
    if (entry === undefined) return undefined;
    const age = now - entry.checkedAt;
    // The age is negative after the clock was set back.
    return age >= 0 && age < this.#rules.maxAgeMs ? entry : undefined;
  }

  /**
   * Looks up a path that `takes` allows. Resolves to undefined if no file exists, or to a Refusal
   * above MAX_FLIGHTS. Rejects if the file system fails.
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
