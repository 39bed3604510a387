import { parseContentType } from "#core/wire/content-type.js";
import type { RawParameters, RawTree } from "#schema/compile/coercion.js";
import type { BodyStream } from "../../exchange/body-stream.js";
import { ByteCollector } from "../../exchange/byte-collector.js";
import { Refusal } from "../../refusal/refusal.js";
import { type Field, flatFields, treeOf } from "../form-fields.js";
import { decodeText } from "../json-body.js";
import { compileFields } from "../parameters.js";
import { ArrivingOnDisk } from "./disk-file.js";
import { directoryOf, limitsOf, type MultipartLimits, type MultipartOptions } from "./options.js";
import { MultipartParser, type PartSink } from "./parser.js";
import { malformed, type PartHead } from "./part-head.js";
import { ArrivingInMemory, type DiskFile, type MemoryFile } from "./uploaded-file.js";

const MISSING = new Refusal("BODY_MISSING");
const NO_BOUNDARY = malformed("Its Content-Type has no boundary that can be one");

// RFC 2046, section 5.1.1.
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

interface MultipartRequest {
  readonly contentType: string;
  readonly bodyLength: number;
  readonly particulars: { readonly stream: BodyStream | null };
}

export function compileMultipart(
  options: MultipartOptions,
  owner: string,
): (request: MultipartRequest) => Promise<unknown> | Refusal {
  const limits = limitsOf(options, owner);
  const directory = directoryOf(options, owner);
  const readFields = fieldReader(options, owner);
  return ({ contentType, bodyLength, particulars: { stream } }) => {
    if (bodyLength === 0 || stream === null) return MISSING;
    const boundary = parseContentType(contentType)?.parameters.get("boundary") ?? "";
    if (!BOUNDARY.test(boundary)) return NO_BOUNDARY;
    const parts = new Parts(limits, directory, (discard) => stream.whenReleased(discard));
    const parser = new MultipartParser(boundary, limits.maxHeaderSize, parts);
    return read(stream, parser, parts).then((refusal) => {
      const fields = refusal ?? readFields(parts.fields);
      return fields instanceof Refusal ? fields : { fields, files: parts.files };
    });
  };
}

/** Rejects if the body is incomplete. */
async function read(stream: BodyStream, parser: MultipartParser, parts: Parts): Promise<Refusal | undefined> {
  for await (const piece of stream) {
    const refusal = parser.write(piece);
    if (refusal !== undefined) return refusal;
    try {
      await parts.store();
    } catch (error) {
      stream.failToStore(error);
      throw error;
    }
  }
  return parser.end();
}

function fieldReader({ schema }: MultipartOptions, owner: string): (fields: readonly Field[]) => unknown {
  if (schema === undefined) return flatFields satisfies (fields: readonly Field[]) => RawParameters | Refusal;
  const readTree: (tree: RawTree) => unknown = compileFields(schema, `${owner}, multipart()`);
  return (fields) => {
    const tree = treeOf(fields);
    return tree instanceof Refusal ? tree : readTree(tree);
  };
}

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
  /** Value of the current field. */
  #text = new ByteCollector(0);
  #file: ArrivingInMemory | ArrivingOnDisk | undefined;
  /** Files to write. The last one may be incomplete. */
  #unwritten: ArrivingOnDisk[] = [];

  /** Without a directory files are kept in memory. */
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
      this.#text.add(bytes);
      if (this.#size <= this.#limits.maxFieldSize) return undefined;
      return above(this.#limits, "maxFieldSize", "A field is too large");
    }
    // hole: a client could fill the disk
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

  /** Writes the received data to disk. Rejects with file-system errors. */
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
