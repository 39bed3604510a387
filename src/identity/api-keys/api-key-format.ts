// The format of an API key: acme_3NwUxd8DlkaoKW_iyjl4eXZWctAPLVlkcXTtCyG5Pk4tfen2JVblF0uzwQ0a2ttl,
// which is <prefix>_<id>_<secret><checksum>.
//
// - ASCII letters, digits and "_": a double click selects the whole key, and headers, shells and
//   files need no escape. Each key has one text: no padding, no second spelling.
// - 62^43 is more than 2^256: the secret has 256 bits. 62^14 is more than 2^80: random ids do not
//   collide below some thousand millions.
// - The checksum is the CRC-32 of all characters before it. It protects nothing. It detects a typing
//   error without a look-up, and lets a scanner for leaked keys tell a key from other texts.

import { crc32 } from "node:zlib";

import { invalidOption } from "#core/invalid-option.js";

export const ID_BYTES = 10;
export const SECRET_BYTES = 32;

const ID_DIGITS = 14;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const MAX_PREFIX = 32;
const ID = new RegExp(`^[0-9A-Za-z]{${ID_DIGITS}}$`);

/** The format of keys with one prefix: "acme", "acme_live". */
export class ApiKeyFormat {
  readonly prefix: string;
  readonly #pattern: RegExp;
  readonly #length: number;

  /** Throws CONFIG_INVALID, which names `call`. */
  constructor(prefix: string, call: string) {
    if (typeof prefix !== "string" || prefix.length > MAX_PREFIX || !PREFIX.test(prefix))
      throw invalidOption(
        call,
        `prefix must be of small letters and digits, words of which "_" joins, at most ${MAX_PREFIX}: "acme_live"`,
      );
    const rest = SECRET_DIGITS + CHECKSUM_DIGITS;
    this.prefix = prefix;
    this.#pattern = new RegExp(`^${prefix}_([0-9A-Za-z]{${ID_DIGITS}})_[0-9A-Za-z]{${rest}}$`);
    this.#length = prefix.length + 1 + ID_DIGITS + 1 + rest;
  }

  /** The key's id; undefined if the text is no key of this prefix. */
  idOf(key: string): string | undefined {
    if (key.length !== this.#length) return undefined;
    const id = this.#pattern.exec(key)?.[1];
    return id !== undefined && key.endsWith(checksum(key.slice(0, -CHECKSUM_DIGITS))) ? id : undefined;
  }

  /** Makes a key of random bytes, ID_BYTES and SECRET_BYTES. */
  keyOf(idBytes: Uint8Array, secretBytes: Uint8Array): { readonly id: string; readonly key: string } {
    const id = inDigits(numberOf(idBytes), ID_DIGITS);
    const unchecked = `${this.prefix}_${id}_${inDigits(numberOf(secretBytes), SECRET_DIGITS)}`;
    return { id, key: unchecked + checksum(unchecked) };
  }
}

export const isApiKeyId = (id: unknown): id is string => typeof id === "string" && ID.test(id);

const checksum = (text: string): string => inDigits(BigInt(crc32(text)), CHECKSUM_DIGITS);

const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

function inDigits(number: bigint, count: number): string {
  let text = "";
  let rest = number;
  while (text.length < count) {
    text = DIGITS.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text;
}
