import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import type { TObject } from "@sinclair/typebox";

import { FrameworkError } from "#core/errors.js";
import { optionNames, requireKnown } from "../../refusal/option-checks.js";
import { type FilesByName, NamedFiles } from "./named-files.js";

/** The body as a whole is bounded by the route's `bodyLimit`: 1 MiB by default. */
export interface MultipartOptions {
  /** Schema of the fields that are not files. Default: any field; a repeated field is a list. */
  readonly schema?: TObject;
  /**
   * Files by the names of their fields: `{ picture: { required: true, types: ["image/*"] } }`. Other files
   * are refused with 422. Or the place of files of any name until the run ends. Default "memory".
   */
  readonly files?: "memory" | "disk" | FilesByName;
  /** An existing directory for files on disk. Default: the system's temporary directory. */
  readonly directory?: string;
  /** Number of files. Default 10. */
  readonly maxFiles?: number;
  /** Largest file in bytes. Default: the body limit. */
  readonly maxFileSize?: number;
  /** Number of fields. Default 100. */
  readonly maxFields?: number;
  /** Largest field in bytes. Default 65 536. */
  readonly maxFieldSize?: number;
  /** Number of files and fields. Default: the sum of both limits. */
  readonly maxParts?: number;
  /** Headers of one part in bytes. Default 8192. */
  readonly maxHeaderSize?: number;
}

export type MultipartLimits = Required<Omit<MultipartOptions, "schema" | "files" | "directory">>;

const KNOWN = optionNames<MultipartOptions>()(
  "schema files directory maxFiles maxFileSize maxFields maxFieldSize maxParts maxHeaderSize",
);

/** Throws EXTRACTOR_INVALID for an invalid limit, CONFIG_INVALID for an unknown option. */
export function limitsOf(options: MultipartOptions, owner: string): MultipartLimits {
  requireKnown(`multipart() of ${owner}`, options, KNOWN);
  const { maxFiles = 10, maxFields = 100 } = options;
  const limits = {
    maxFiles,
    maxFileSize: options.maxFileSize ?? Number.MAX_SAFE_INTEGER,
    maxFields,
    maxFieldSize: options.maxFieldSize ?? 65_536,
    maxParts: options.maxParts ?? maxFiles + maxFields,
    maxHeaderSize: options.maxHeaderSize ?? 8192,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw new FrameworkError(
      "EXTRACTOR_INVALID",
      `${owner}: multipart() has ${name} ${value}: use a whole number from 0`,
    );
  }
  return limits;
}

/** Undefined for files of any name. Throws EXTRACTOR_INVALID and CONFIG_INVALID. */
export function namedFilesOf({ files, schema }: MultipartOptions, owner: string): NamedFiles | undefined {
  if (files === undefined || files === "memory" || files === "disk") return undefined;
  if (typeof files === "object" && files !== null && !Array.isArray(files))
    return new NamedFiles(files, schema, owner);
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: multipart() has files ${JSON.stringify(files)}: use "memory", "disk", or the files by name`,
  );
}

/** True if files may be on disk. */
export const usesDisk = ({ files }: MultipartOptions): boolean =>
  typeof files === "object" ? Object.values(files).some(({ store }) => store === "disk") : files === "disk";

/** Undefined if all files are in memory. Throws EXTRACTOR_INVALID if the directory does not exist. */
export function directoryOf(options: MultipartOptions, owner: string): string | undefined {
  if (!usesDisk(options)) return undefined;
  const { directory } = options;
  const path = directory ?? tmpdir();
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new FrameworkError(
    "EXTRACTOR_INVALID",
    `${owner}: multipart() has no directory ${path}: make it first`,
  );
}
