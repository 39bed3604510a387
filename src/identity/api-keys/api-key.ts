import { hash, randomBytes as systemBytes } from "node:crypto";

import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { ApiKeyFormat, ID_BYTES, SECRET_BYTES } from "./api-key-format.js";

export interface NewApiKeyOptions {
  /** Lower-case letters and digits, in words joined by "_", at most 32 characters: "acme_live". */
  readonly prefix: string;
  /** Returns `size` random bytes. Default: those of node:crypto. */
  readonly randomBytes?: (size: number) => Uint8Array;
}

export interface NewApiKey {
  /** `<prefix>_<id>_<secret>` and a checksum. Show it to its owner once, and do not store it. */
  readonly key: string;
  /** Identifies the key. No secret: it may appear in logs and lists. */
  readonly id: string;
  /** Stored instead of the key. */
  readonly hash: string;
}

/** Makes a key of 256 random bits. Throws CONFIG_INVALID. */
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
 * The SHA-256 of the whole key, in hexadecimal, as by `printf %s "$KEY" | sha256sum`. The id is
 * hashed too, so that a hash moved to another id is of no use. A slow hash such as scrypt would
 * protect passwords, which can be guessed. A key has 256 random bits, so that a slow hash would
 * only make each request expensive.
 */
export const apiKeyHash = (key: string): string => hash("sha256", key, "hex");
