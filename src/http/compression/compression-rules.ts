// What `compressionLayer` says of an ingress.

import { mediaTypeOf } from "#core/content-type.js";
import { FrameworkError } from "#core/errors.js";
import type { Coding } from "../accept-encoding.js";
import { namesOf, requireKnown, requireLists } from "../known-options.js";
import { requireInteger } from "../required-integer.js";

export interface CompressionOptions {
  /** Those that are offered, the favourite first: it decides where a client likes several equally. Default: br, gzip. */
  readonly codings?: readonly Coding[];
  /** Smaller bodies are sent as they are, in bytes. Default 1024: one packet is one packet. */
  readonly minBytes?: number;
  /** From 0 to 11. Default 3: 100 us for 16 KiB of JSON, where 11 takes 30 000. */
  readonly brotliQuality?: number;
  /** From 1 to 9. Default 6: 125 us for 16 KiB of JSON. */
  readonly gzipLevel?: number;
  /**
   * How many larger bodies are compressed at once, by the threads of the process; what comes
   * beyond is sent as it is. Default 8: twice the threads that there are.
   */
  readonly maxConcurrent?: number;
  /** How many streams are compressed at once; what comes beyond is sent as it is. Each holds 250 to 320 KiB. Default 100. */
  readonly maxStreams?: number;
  /** Media types that are worth it beside text, JSON, XML and their like: `["application/x-protobuf"]`. */
  readonly types?: readonly string[];
}

/** The same, whole and checked. */
export type CompressionRules = Required<CompressionOptions>;

const OPTIONS = namesOf<CompressionOptions>({
  codings: true,
  minBytes: true,
  brotliQuality: true,
  gzipLevel: true,
  maxConcurrent: true,
  maxStreams: true,
  types: true,
});

const CODINGS: readonly Coding[] = ["br", "gzip"];

/** Throws CONFIG_INVALID. */
export function compressionRules(options: CompressionOptions = {}): CompressionRules {
  const where = "compressionLayer()";
  requireKnown(where, options, OPTIONS);
  requireLists(where, options, ["codings", "types"]);
  const { codings = CODINGS, minBytes = 1024, brotliQuality = 3, gzipLevel = 6 } = options;
  const { maxConcurrent = 8, maxStreams = 100, types = [] } = options;
  if (codings.length === 0 || codings.some((coding) => !CODINGS.includes(coding)))
    throw invalid(`codings of ${where} are some of ${CODINGS.join(", ")}: leave the option out for all`);
  if (new Set(codings).size < codings.length) throw invalid(`codings of ${where}: name each of them once`);
  return {
    codings: [...codings],
    minBytes: requireInteger(`minBytes of ${where}`, minBytes, 0, Number.MAX_SAFE_INTEGER),
    brotliQuality: requireInteger(`brotliQuality of ${where}`, brotliQuality, 0, 11),
    gzipLevel: requireInteger(`gzipLevel of ${where}`, gzipLevel, 1, 9),
    maxConcurrent: requireInteger(`maxConcurrent of ${where}`, maxConcurrent, 0, 1024),
    maxStreams: requireInteger(`maxStreams of ${where}`, maxStreams, 0, 100_000),
    types: types.map((type) => {
      if (typeof type === "string" && mediaTypeOf(type) === type.toLowerCase() && !type.includes("*"))
        return type.toLowerCase();
      throw invalid(
        `types of ${where} holds what is no media type: write "application/x-protobuf", each by its whole name`,
      );
    }),
  };
}

const invalid = (problem: string): FrameworkError => new FrameworkError("CONFIG_INVALID", problem);
