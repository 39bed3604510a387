// The parts of one body: counted, measured, and put where they belong.

import { Collected } from "../collected.js";
import type { Field } from "../form-fields.js";
import { decodeText } from "../json-body.js";
import { Refusal } from "../refusal.js";
import { ArrivingOnDisk } from "./disk-file.js";
import { malformed } from "./malformed.js";
import { ArrivingInMemory } from "./memory-file.js";
import type { MultipartLimits } from "./options.js";
import type { PartSink } from "./parser.js";
import type { PartHead } from "./part-head.js";
import type { DiskFile, MemoryFile } from "./uploaded-file.js";

const NOT_TEXT = malformed("A field is not valid UTF-8");

const above = (limits: MultipartLimits, limit: keyof MultipartLimits, what: string): Refusal =>
  new Refusal("UPLOAD_TOO_LARGE", { detail: `${what}: ${limit} is ${limits[limit]}`, ends: true });

export class Parts implements PartSink {
  readonly fields: Field[] = [];
  readonly #limits: MultipartLimits;
  readonly #directory: string | undefined;
  readonly #whenReleased: (discard: () => void) => void;
  readonly #arrived: (ArrivingInMemory | ArrivingOnDisk)[] = [];
  #count = 0;
  #head: PartHead | undefined;
  #size = 0;
  /** Of a field. */
  #text = new Collected(0);
  #file: ArrivingInMemory | ArrivingOnDisk | undefined;
  /** Files that are not written, the last one perhaps not whole. */
  #unwritten: ArrivingOnDisk[] = [];

  /** Without a directory files are kept in memory. `whenReleased` calls back when the run is over. */
  constructor(
    limits: MultipartLimits,
    directory: string | undefined,
    whenReleased: (discard: () => void) => void,
  ) {
    this.#limits = limits;
    this.#directory = directory;
    this.#whenReleased = whenReleased;
  }

  get files(): readonly (MemoryFile | DiskFile)[] {
    return this.#arrived.map((file) => file.file());
  }

  begin(head: PartHead): Refusal | undefined {
    this.#count += 1;
    if (this.#count > this.#limits.maxParts)
      return above(this.#limits, "maxParts", "There are too many parts");
    this.#head = head;
    this.#size = 0;
    if (head.filename === undefined) {
      this.#text = new Collected(0);
      if (this.fields.length < this.#limits.maxFields) return undefined;
      return above(this.#limits, "maxFields", "There are too many fields");
    }
    // What a browser sends for a file that nobody has chosen is no file.
    return head.filename === "" ? undefined : this.#beginFile(head);
  }

  data(bytes: Buffer): Refusal | undefined {
    const head = this.#head as PartHead;
    this.#size += bytes.length;
    if (head.filename === undefined) {
      this.#text.add(bytes);
      if (this.#size <= this.#limits.maxFieldSize) return undefined;
      return above(this.#limits, "maxFieldSize", "A field is too large");
    }
    if (this.#size > this.#limits.maxFileSize)
      return above(this.#limits, "maxFileSize", "A file is too large");
    const refusal = this.#file === undefined ? this.#beginFile(head) : undefined;
    this.#file?.add(bytes);
    return refusal;
  }

  end(): Refusal | undefined {
    const { name, filename } = this.#head as PartHead;
    this.#file = undefined;
    if (filename !== undefined) return undefined;
    const text = decodeText(this.#text.bytes());
    if (text === undefined) return NOT_TEXT;
    this.fields.push([name, text]);
    return undefined;
  }

  /** Writes what has come of files to the disk. Rejects with what the file system says. */
  async store(): Promise<void> {
    const unwritten = this.#unwritten;
    this.#unwritten = unwritten.filter((file) => file === this.#file);
    for (const file of unwritten) await file.stored(file !== this.#file);
  }

  #beginFile(head: PartHead): Refusal | undefined {
    if (this.#arrived.length >= this.#limits.maxFiles)
      return above(this.#limits, "maxFiles", "There are too many files");
    if (this.#directory === undefined) {
      this.#file = new ArrivingInMemory(head);
    } else {
      const file = new ArrivingOnDisk(head, this.#directory);
      this.#whenReleased(() => file.discard());
      this.#unwritten.push(file);
      this.#file = file;
    }
    this.#arrived.push(this.#file);
    return undefined;
  }
}
