import { mediaTypeOf } from "#core/wire/content-type.js";
import {
  configInvalid,
  optionNames,
  requireInteger,
  requireKnown,
  requireLists,
} from "../refusal/option-checks.js";

export type Coding = "br" | "gzip";

export interface CompressionOptions {
  /** The codings on offer, best first: their order decides between equal weights. Default: br, gzip. */
  readonly codings?: readonly Coding[];
  /** Smallest body to compress, in bytes. Default 1024. */
  readonly minBytes?: number;
  /** 0 to 11. Default 3: 100 us for 16 KiB of JSON, where 11 takes 30 000. */
  readonly brotliQuality?: number;
  /** 1 to 9. Default 6: 125 us for 16 KiB of JSON. */
  readonly gzipLevel?: number;
  /** Large bodies compressed concurrently by libuv's threads. Further ones are sent uncompressed. Default 8. */
  readonly maxConcurrent?: number;
  /** Streams compressed concurrently, 250 to 320 KiB each. Further ones are sent uncompressed. Default 100. */
  readonly maxStreams?: number;
  /** Media types to compress in addition to text, JSON, XML and similar: `["application/x-protobuf"]`. */
  readonly types?: readonly string[];
}

export type CompressionRules = Required<CompressionOptions>;

const OPTIONS = optionNames<CompressionOptions>()(
  "codings minBytes brotliQuality gzipLevel maxConcurrent maxStreams types",
);

const CODINGS: readonly Coding[] = ["br", "gzip"];

/** Throws CONFIG_INVALID. */
export function compressionRules(options: CompressionOptions = {}): CompressionRules {
  const where = "compressionLayer()";
  requireKnown(where, options, OPTIONS);
  requireLists(where, options, ["codings", "types"]);
  const { codings = CODINGS, minBytes = 1024, brotliQuality = 3, gzipLevel = 6 } = options;
  const { maxConcurrent = 8, maxStreams = 100, types = [] } = options;
  if (codings.length === 0 || codings.some((coding) => !CODINGS.includes(coding)))
    throw configInvalid(
      `codings of ${where} are some of ${CODINGS.join(", ")}: leave the option out for all`,
    );
  if (new Set(codings).size < codings.length)
    throw configInvalid(`codings of ${where}: name each of them once`);
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
      throw configInvalid(
        `types of ${where} holds what is no media type: write "application/x-protobuf", each by its whole name`,
      );
    }),
  };
}
