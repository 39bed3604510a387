// The parts of one multipart body: fields as text, files in memory or on disk, within the limits.

import type { SchemaError } from "#core/bus/schema-error.js";
import type { BodyStream } from "../../exchange/body-stream.js";
import { ByteCollector } from "../../exchange/byte-collector.js";
import { Refusal } from "../../refusal/refusal.js";
import type { Field } from "../form-fields.js";
import { decodeText } from "../json-body.js";
import { ArrivingOnDisk } from "./disk-file.js";
import type { NamedFiles } from "./named-files.js";
import type { MultipartLimits } from "./options.js";
import type { PartSink } from "./parser.js";
import { malformed, type PartHead } from "./part-head.js";
import { ArrivingInMemory } from "./uploaded-file.js";

const NOT_TEXT = malformed("A field is not valid UTF-8");

const tooLarge = (detail: string): Refusal => new Refusal("UPLOAD_TOO_LARGE", { detail, ends: true });

const above = (limits: MultipartLimits, limit: keyof MultipartLimits, what: string): Refusal =>
  tooLarge(`${what}: ${limit} is ${limits[limit]}`);

interface PartsOptions {
  readonly limits: MultipartLimits;
  /** Of files on disk; undefined if there are none. */
  readonly directory: string | undefined;
  /** Undefined for files of any name. */
  readonly files: NamedFiles | undefined;
}

/** The part of a BodyStream that its parts use. */
type PartsBody = Pick<BodyStream, "keep" | "whenReleased">;

const MAX_ERRORS = 100;

/** The parts of one body. */
export class Parts implements PartSink {
  readonly fields: Field[] = [];
  readonly #limits: MultipartLimits;
  readonly #directory: string | undefined;
  readonly #named: NamedFiles | undefined;
  readonly #body: PartsBody;
  readonly #arrived: (ArrivingInMemory | ArrivingOnDisk)[] = [];
  #count = 0;
  #head: PartHead | undefined;
  #size = 0;
  /** Value of the current field. */
  #text = new ByteCollector(0);
  #file: ArrivingInMemory | ArrivingOnDisk | undefined;
  /** True for a file that is not kept, because the form is refused. */
  #isRefused = false;
  readonly #names = new Set<string>();
  readonly #errors: SchemaError[] = [];
  /** Files to write. The last one may be incomplete. */
  #unwritten: ArrivingOnDisk[] = [];

  constructor({ limits, directory, files }: PartsOptions, body: PartsBody) {
    this.#limits = limits;
    this.#directory = directory;
    this.#named = files;
    this.#body = body;
  }

  /** By name where the options name them. */
  get files(): unknown {
    const files = this.#arrived.map((file) => file.file());
    return this.#named === undefined ? files : this.#named.byName(files);
  }

  /** Of files with options. */
  get errors(): readonly SchemaError[] {
    return [...this.#errors, ...(this.#named?.missing(this.#names) ?? [])].slice(0, MAX_ERRORS);
  }

  begin(head: PartHead): Refusal | undefined {
    this.#count += 1;
    if (this.#count > this.#limits.maxParts)
      return above(this.#limits, "maxParts", "There are too many parts");
    this.#head = head;
    this.#size = 0;
    if (head.filename === undefined) {
      this.#text = new ByteCollector(0);
      if (this.fields.length < this.#limits.maxFields) return undefined;
      return above(this.#limits, "maxFields", "There are too many fields");
    }
    // Browsers send an empty name if no file was chosen.
    return head.filename === "" ? undefined : this.#beginFile(head);
  }

  data(bytes: Buffer): Refusal | undefined {
    const head = this.#head as PartHead;
    this.#size += bytes.length;
    if (head.filename === undefined) {
      if (this.#size > this.#limits.maxFieldSize)
        return above(this.#limits, "maxFieldSize", "A field is too large");
      this.#text.add(bytes);
      return this.#body.keep(bytes.length);
    }
    if (this.#isRefused) return undefined;
    const refusal =
      this.#aboveSize(head.name) ?? (this.#file === undefined ? this.#beginFile(head) : undefined);
    this.#file?.add(bytes);
    return refusal ?? (this.#file instanceof ArrivingInMemory ? this.#body.keep(bytes.length) : undefined);
  }

  end(): Refusal | undefined {
    const { name, filename } = this.#head as PartHead;
    this.#file = undefined;
    this.#isRefused = false;
    if (filename !== undefined) return undefined;
    const text = decodeText(this.#text.bytes());
    if (text === undefined) return NOT_TEXT;
    this.fields.push([name, text]);
    return undefined;
  }

  /** Writes the received data to disk. Rejects with file-system errors. */
  async store(): Promise<void> {
    const unwritten = this.#unwritten;
    this.#unwritten = unwritten.filter((file) => file === this.#file);
    for (const file of unwritten) await file.stored(file !== this.#file);
  }

  // hole: a client could fill the disk
  #aboveSize(name: string): Refusal | undefined {
    const { maxSize } = this.#named?.optionsOf(name) ?? {};
    if (this.#size <= (maxSize ?? this.#limits.maxFileSize)) return undefined;
    return maxSize === undefined
      ? above(this.#limits, "maxFileSize", "A file is too large")
      : tooLarge(`The file '${name}' is too large: maxSize is ${maxSize}`);
  }

  #beginFile(head: PartHead): Refusal | undefined {
    const { name } = head;
    const error = this.#named?.errorOf(head, this.#names);
    this.#names.add(name);
    if (error !== undefined) {
      this.#isRefused = true;
      if (this.#errors.length < MAX_ERRORS) this.#errors.push(error);
      return undefined;
    }
    if (this.#arrived.length >= this.#limits.maxFiles)
      return above(this.#limits, "maxFiles", "There are too many files");
    const isInMemory = this.#named !== undefined && this.#named.optionsOf(name).store !== "disk";
    if (this.#directory === undefined || isInMemory) {
      this.#file = new ArrivingInMemory(head);
    } else {
      const file = new ArrivingOnDisk(head, this.#directory);
      this.#body.whenReleased(() => file.discard());
      this.#unwritten.push(file);
      this.#file = file;
    }
    this.#arrived.push(this.#file);
    return undefined;
  }
}
