import { hash, randomBytes as systemBytes } from "node:crypto";

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { ApiKeyFormat, ID_BYTES, SECRET_BYTES } from "./api-key-format.js";

export interface NewApiKeyOptions {
  /** Small letters and digits, in words that "_" joins, at most 32 characters: "acme_live". */
  readonly prefix: string;
  /** As many random bytes as it is asked for. Default: those of node:crypto. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

export interface NewApiKey {
  /** `<prefix>_<id>_<secret>` and a checksum. Its owner is shown it once: nobody keeps it. */
  readonly key: string;
  /** What it is found by. No secret: it may stand in logs and lists. */
  readonly id: string;
  /** What is kept in its place. */
  readonly hash: string;
}

/** A key of 256 random bits. Throws CONFIG_INVALID. */
export function newApiKey(options: NewApiKeyOptions): NewApiKey {
  const call = "newApiKey(options)";
  requireKnownOptions(call, options, ["prefix", "randomBytes"]);
  const { prefix, randomBytes = systemBytes } = options;
  const format = new ApiKeyFormat(prefix, call);
  if (typeof randomBytes !== "function")
    throw invalidOption(call, "randomBytes must be a function that answers as many bytes as it is asked for");
  const drawn = (size: number): Uint8Array => {
    const bytes = randomBytes(size);
    if (bytes instanceof Uint8Array && bytes.length === size) return bytes;
    throw invalidOption(call, "randomBytes(size) must answer as many bytes as size says");
  };
  const { id, key } = format.keyOf(drawn(ID_BYTES), drawn(SECRET_BYTES));
  return { key, id, hash: apiKeyHash(key) };
}

/**
 * The SHA-256 of the whole key, in hexadecimal: what `printf %s "$KEY" | sha256sum` says. Of the
 * whole, so that a hash moved to another id opens nothing. Nothing slower: scrypt and the like
 * protect what people choose, where a thief can try the likely ones; of 2^256 there are none,
 * and each request would cost what a thief should.
 */
export const apiKeyHash = (key: string): string => hash("sha256", key, "hex");
