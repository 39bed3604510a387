// Encrypts the texts that stores keep: AES-256-GCM under keys of table and day, with a random nonce.
// A text is `DAY.CIPHERTEXT`: the day of its key, then nonce, ciphertext and tag in base64.
//
//   EH1. A text decrypts only at its place and under its key id: both are authenticated.
//   EH2. An error names the table and the row, never a part of the text or of a key.
//   EH3. For an unknown key id the provider is called once more. All waiting reads share the call,
//        and the next call is at least a second later.

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";

import { FrameworkError } from "#core/errors.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Codec, CodecKeys, EncodedText, Place } from "#core/ports/codec.js";
import { DataKeys, derivedKey } from "./data-keys.js";
import { invalid, type MasterKeyProvider, type MasterKeys, requireMasterKeys } from "./master-keys.js";

export interface EncryptionOptions {
  /** Gives the master keys: `keysInFile`, `keysInEnvironment`, or a function. */
  readonly keys: MasterKeyProvider;
  /**
   * Whether rows from before the encryption are read. "refuse" once `framework store encrypt` found
   * none: then nothing that was not encrypted here is believed. Default "read".
   */
  readonly plainRows?: "read" | "refuse";
  /** Milliseconds since 1970. Default Date.now. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
const ASK_AGAIN_MS = 1000;
const NONCE = 12;
const NONCES = 256;
const TAG = 16;
const DAY = /^(0|[1-9]\d{0,6})\./;
const SUBJECT = /^keyed:([\w.-]{1,64}):([\w-]+)$/;
const SUBJECT_IV = 16;

export class EncryptionHook implements Codec {
  readonly encrypts = true;
  readonly #options: EncryptionOptions;
  readonly #now: () => number;
  #nonces: Buffer = Buffer.alloc(0);
  readonly #dataKeys = new DataKeys();
  #masters: MasterKeys | undefined;
  /** By key id: one key for the IV, one for the cipher. */
  #subjectKeys = new Map<string, Buffer>();
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Error of the provider's last call, if it failed. */
  #failure: unknown;

  constructor(options: EncryptionOptions) {
    requireKnownOptions("EncryptionHook", options, ["keys", "plainRows", "now"]);
    const { keys, plainRows = "read" } = options;
    if (typeof keys !== "function") throw invalidOption("EncryptionHook", "keys must be a function");
    if (plainRows !== "read" && plainRows !== "refuse")
      throw invalidOption("EncryptionHook", 'plainRows must be "read" or "refuse"');
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Asks for the keys. Rejects with ENCRYPTION_KEYS_INVALID. */
  readonly open = async (): Promise<void> => {
    if (this.#masters === undefined) await this.reload();
  };

  /** Asks for the keys again: after a rotation this process encrypts under the new one. */
  readonly reload = (): Promise<void> => {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  };

  readonly encode = (text: string, place: Place): EncodedText => {
    const { current, keys } = this.#opened();
    const day = Math.floor(this.#now() / DAY_MS);
    const key = this.#dataKeys.forEncryption(keys[current] as Uint8Array, current, place.table, day);
    const nonce = this.#nonce();
    const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(boundTo(current, place));
    const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return { text: `${day}.${sealed.toString("base64")}`, keyId: current };
  };

  readonly decode: Codec["decode"] = (text, keyId, place) => {
    if (keyId === null) return this.#plain(text, place);
    const master = this.#masterOf(keyId);
    if (master !== undefined) return this.#decrypted(text, keyId, master, place);
    return this.#askedFor(keyId, shownPlace(place)).then((found) =>
      this.#decrypted(text, keyId, found, place),
    );
  };

  /** Of random bytes that are made for many: asking for twelve costs a quarter of an encryption. */
  #nonce(): Buffer {
    if (this.#nonces.length < NONCE) this.#nonces = randomBytes(NONCES * NONCE);
    const nonce = this.#nonces.subarray(0, NONCE);
    this.#nonces = this.#nonces.subarray(NONCE);
    return nonce;
  }

  get keys(): CodecKeys {
    const { current, keys } = this.#opened();
    return {
      current,
      ids: Object.keys(keys),
      subject: (hash) => this.#subject(hash, current),
      subjects: (hash) => [hash, ...Object.keys(keys).map((id) => this.#subject(hash, id))],
      hashOf: (kept) => {
        const [, keyId] = SUBJECT.exec(kept) ?? [];
        if (keyId === undefined) return kept;
        return this.#masterOf(keyId) === undefined
          ? this.#askedFor(keyId, "a subject").then(() => this.#hashIn(kept, keyId))
          : this.#hashIn(kept, keyId);
      },
    };
  }

  #opened(): MasterKeys {
    if (this.#masters === undefined)
      throw new FrameworkError("ENCRYPTION_KEY_UNKNOWN", "The keys are not loaded: await open() first");
    return this.#masters;
  }

  #masterOf(keyId: string): Uint8Array | undefined {
    const { keys = {} } = this.#masters ?? {};
    return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
  }

  #plain(text: string, place: Place): string {
    // One without its key id: no text of a store begins like it.
    if (sealedIn(text) !== undefined) throw tampered(place);
    if (this.#options.plainRows !== "refuse") return text;
    throw new FrameworkError(
      "ENCRYPTED_TEXT_INVALID",
      `${shownPlace(place)}: it is not encrypted, and plainRows is "refuse"`,
    );
  }

  #decrypted(text: string, keyId: string, master: Uint8Array, place: Place): string {
    const sealed = sealedIn(text);
    if (sealed === undefined) throw tampered(place);
    const { day, bytes } = sealed;
    try {
      const key = this.#dataKeys.forDecryption(master, keyId, place.table, day);
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE))
        .setAAD(boundTo(keyId, place))
        .setAuthTag(bytes.subarray(-TAG));
      return decipher.update(bytes.subarray(NONCE, -TAG), undefined, "utf8") + decipher.final("utf8");
    } catch {
      throw tampered(place);
    }
  }

  /** Equal under one key, so that a row is found by it, and decrypted again where the key changes. */
  #subject(hash: string, keyId: string): string {
    const keys = this.#subjectKeysOf(keyId);
    const iv = createHmac("sha256", keys.subarray(0, 32)).update(hash).digest().subarray(0, SUBJECT_IV);
    const cipher = createCipheriv("aes-256-ctr", keys.subarray(32), iv);
    const sealed = Buffer.concat([iv, cipher.update(hash, "utf8"), cipher.final()]);
    return `keyed:${keyId}:${sealed.toString("base64url")}`;
  }

  #hashIn(kept: string, keyId: string): string {
    const bytes = Buffer.from(SUBJECT.exec(kept)?.[2] ?? "", "base64url");
    const keys = this.#subjectKeysOf(keyId);
    const decipher = createDecipheriv("aes-256-ctr", keys.subarray(32), bytes.subarray(0, SUBJECT_IV));
    const hash = decipher.update(bytes.subarray(SUBJECT_IV), undefined, "utf8") + decipher.final("utf8");
    if (this.#subject(hash, keyId) === kept) return hash;
    throw new FrameworkError(
      "ENCRYPTED_TEXT_INVALID",
      `the subject of a row was changed, or is of another key '${keyId}'`,
    );
  }

  #subjectKeysOf(keyId: string): Buffer {
    const found = this.#subjectKeys.get(keyId);
    if (found !== undefined) return found;
    const made = derivedKey(this.#masterOf(keyId) as Uint8Array, `framework subjects 1|${keyId}`, 64);
    this.#subjectKeys.set(keyId, made);
    return made;
  }

  async #askedFor(keyId: string, shown: string): Promise<Uint8Array> {
    // A clock that was set back does not hold it up.
    if (this.#asking !== undefined || Math.abs(this.#now() - this.#askedAt) >= ASK_AGAIN_MS) {
      this.#askedAt = this.#now();
      await this.reload().catch(() => {});
    }
    const found = this.#masterOf(keyId);
    if (found !== undefined) return found;
    const why =
      this.#failure === undefined
        ? "the provider has no such key"
        : "the provider of keys failed: see the cause";
    throw new FrameworkError("ENCRYPTION_KEY_UNKNOWN", `${shown}: encrypted under key '${keyId}': ${why}`, {
      cause: this.#failure,
    });
  }

  async #ask(): Promise<void> {
    try {
      const given = requireMasterKeys(await this.#options.keys(), "The provider of master keys");
      const { keys = {} } = this.#masters ?? {};
      const isChanged = Object.entries(given.keys).some(
        ([id, key]) => Object.hasOwn(keys, id) && Buffer.compare(key, keys[id] as Uint8Array) !== 0,
      );
      if (isChanged)
        throw invalid(
          "The provider of master keys",
          "a key changed under its id: give the new one another id",
        );
      this.#masters = given;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      if (error instanceof FrameworkError) throw error;
      throw invalid("The provider of master keys", "it failed: see the cause", error);
    }
  }
}

/** Of no text that is written otherwise: base64 that decodes to the same bytes is another text all the same. */
function sealedIn(text: string): { readonly day: number; readonly bytes: Buffer } | undefined {
  const [prefix, day] = DAY.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  const base64 = text.slice(prefix.length);
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length < NONCE + TAG || bytes.toString("base64") !== base64) return undefined;
  return { day: Number(day), bytes };
}

const boundTo = (keyId: string, { table, field, row }: Place): Buffer =>
  Buffer.from(JSON.stringify([keyId, table, field, row]));

/** A row may be named by a key that a client chose. */
const shownPlace = ({ table, field, row }: Place): string =>
  `table ${table}, ${field} of ${JSON.stringify(row.slice(0, 100))}`;

const tampered = (place: Place): FrameworkError =>
  new FrameworkError(
    "ENCRYPTED_TEXT_INVALID",
    `${shownPlace(place)}: it was changed or moved, or its key is another one of that id`,
  );
