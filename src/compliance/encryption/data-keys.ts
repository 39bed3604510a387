// Keys of texts, derived from a master key for each table and UTC day. Deriving one takes as long as
// encrypting a text: they are cached.

import { hkdfSync } from "node:crypto";

import { FrameworkError } from "#core/errors.js";

/** A random nonce of 96 bits may repeat beyond (NIST SP 800-38D, 8.3). */
const MAX_TEXTS = 2 ** 32;
/** Keys of as many days and tables as a walk over old rows meets. */
const MAX_CACHED = 4096;

interface DataKey {
  readonly key: Buffer;
  /** Texts encrypted under it in this process. */
  texts: number;
}

export class DataKeys {
  readonly #maxTexts: number;
  readonly #cached = new Map<string, DataKey>();

  constructor(maxTexts = MAX_TEXTS) {
    this.#maxTexts = maxTexts;
  }

  /** Throws ENCRYPTION_KEY_EXHAUSTED. */
  forEncryption(master: Uint8Array, keyId: string, table: string, day: number): Buffer {
    const found = this.#found(master, keyId, table, day);
    if (found.texts >= this.#maxTexts)
      throw new FrameworkError(
        "ENCRYPTION_KEY_EXHAUSTED",
        `key '${keyId}' has encrypted ${this.#maxTexts} texts of table '${table}' today: make another key current`,
      );
    found.texts += 1;
    return found.key;
  }

  forDecryption(master: Uint8Array, keyId: string, table: string, day: number): Buffer {
    return this.#found(master, keyId, table, day).key;
  }

  #found(master: Uint8Array, keyId: string, table: string, day: number): DataKey {
    const name = `${keyId}|${table}|${day}`;
    const cached = this.#cached.get(name);
    if (cached !== undefined) {
      // The one that encrypts stays, with its count, while a walk derives others.
      this.#cached.delete(name);
      this.#cached.set(name, cached);
      return cached;
    }
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAX_CACHED) this.#cached.delete(oldest);
    const made = { key: derivedKey(master, `framework texts 1|${name}`), texts: 0 };
    this.#cached.set(name, made);
    return made;
  }
}

export const derivedKey = (master: Uint8Array, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync("sha256", master, "", purpose, bytes));
