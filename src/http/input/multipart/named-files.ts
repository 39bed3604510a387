// Files of a form by name: the options of each, and what is wrong with those that a client sent.

import type { TObject } from "@sinclair/typebox";
import type { SchemaError } from "#core/bus/schema-error.js";
import { FrameworkError } from "#core/errors.js";
import { optionNames, requireKnown } from "../../refusal/option-checks.js";
import type { PartHead } from "./part-head.js";
import type { UploadedFile } from "./uploaded-file.js";

/** A file of a form. Without options: at most one, of any type, in memory. */
export interface FileOptions {
  /** Largest size in bytes; above it the request is refused with 413. Default: `maxFileSize`. */
  readonly maxSize?: number;
  /** Media types that the client may claim: "image/png", "image/*". Default: any. */
  readonly types?: readonly string[];
  /** Refuses a form without it with 422. Default false. */
  readonly required?: boolean;
  /** A list of files. Default false: one. */
  readonly multiple?: boolean;
  /** Place of the file until the run ends. Default "memory". */
  readonly store?: "memory" | "disk";
}

export type FilesByName = Readonly<Record<string, FileOptions>>;

type Named = Readonly<Record<string, UploadedFile | readonly UploadedFile[] | undefined>>;

const KNOWN = optionNames<FileOptions>()("maxSize types required multiple store");
const MEDIA_TYPE = /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+))$/;

export class NamedFiles {
  readonly #files: ReadonlyMap<string, FileOptions>;

  /** Throws EXTRACTOR_INVALID and CONFIG_INVALID. */
  constructor(files: FilesByName, fields: TObject | undefined, owner: string) {
    for (const [name, file] of Object.entries(files)) requireFile(name, file, fields, owner);
    this.#files = new Map(Object.entries(files));
  }

  optionsOf(name: string): FileOptions {
    return this.#files.get(name) ?? {};
  }

  /** What is wrong with a file that arrives; `known` are the names of those before it. */
  errorOf({ name, type }: PartHead, known: ReadonlySet<string>): SchemaError | undefined {
    const file = this.#files.get(name);
    const pointer = pointerTo(name);
    if (file === undefined)
      return { pointer, keyword: "additionalProperties", expected: "no file of this name" };
    if (known.has(name) && file.multiple !== true)
      return { pointer, keyword: "maxItems", expected: "one file" };
    const { types } = file;
    if (types === undefined || types.some((range) => isWithin(type, range))) return undefined;
    return { pointer, keyword: "contentMediaType", expected: `a file of the type ${types.join(" or ")}` };
  }

  missing(known: ReadonlySet<string>): readonly SchemaError[] {
    return [...this.#files]
      .filter(([name, { required }]) => required === true && !known.has(name))
      .map(([name]) => ({ pointer: pointerTo(name), keyword: "required", expected: "this file" }));
  }

  /** A property for each name, undefined for a file that was not sent. */
  byName(files: readonly UploadedFile[]): Named {
    const named = [...this.#files].map(([name, { multiple }]) => {
      const own = files.filter((file) => file.name === name);
      return [name, multiple === true ? own : own[0]] as const;
    });
    return Object.fromEntries(named);
  }
}

function requireFile(name: string, file: FileOptions, fields: TObject | undefined, owner: string): void {
  const where = `the file '${name}' in multipart() of ${owner}`;
  const invalid = (what: string): never => {
    throw new FrameworkError("EXTRACTOR_INVALID", `${where}: ${what}`);
  };
  if (typeof file !== "object" || file === null) invalid("give its options, as in { required: true }");
  requireKnown(where, file, KNOWN);
  const { maxSize = 0, types = [], store = "memory" } = file;
  if (name === "") invalid("its name is empty: give the name of the form's field");
  if (Object.hasOwn(fields?.properties ?? {}, name))
    invalid("the schema has a field of this name: rename one");
  if (!Number.isSafeInteger(maxSize) || maxSize < 0)
    invalid(`maxSize is ${maxSize}: use a whole number from 0`);
  if (!Array.isArray(types) || types.some((type) => !MEDIA_TYPE.test(type)))
    invalid(`types is ${JSON.stringify(types)}: list media types, as in ["image/png", "image/*"]`);
  if (store !== "memory" && store !== "disk")
    invalid(`store is ${JSON.stringify(store)}: use "memory" or "disk"`);
}

/** A file without a type is of any. */
function isWithin(type = "application/octet-stream", range: string): boolean {
  const wanted = range.toLowerCase();
  return (
    wanted === type || wanted === "*/*" || (wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1)))
  );
}

/** As long as those of a schema's errors. */
const MAX_POINTER = 256;

function pointerTo(name: string): string {
  const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return pointer.length > MAX_POINTER ? `${pointer.slice(0, MAX_POINTER)}...` : pointer;
}
