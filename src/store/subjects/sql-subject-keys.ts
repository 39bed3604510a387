// Keys of persons for sealed audit texts, each encrypted by the codec: without the master key they
// open nothing. The row with an empty pseudonym has the secret of the pseudonyms.

import { createHmac, randomBytes } from "node:crypto";

import type { SubjectKeyStore } from "#core/ports/audit-sink.js";
import type { Codec } from "#core/ports/codec.js";
import type { ErasureSink } from "#core/ports/erasure.js";
import { secretPlace } from "../sql/places.js";
import type { SqlDatabase } from "../sql/sql-database.js";

const KEY_BYTES = 32;

export class SqlSubjectKeys implements SubjectKeyStore {
  readonly shown: string;
  /** Erases the keys of a subject: its audit texts can no longer be read. */
  readonly erasure: ErasureSink;
  readonly close: () => Promise<void>;
  /** Rewrites the tables without the deleted keys. */
  readonly compact: SqlDatabase["compact"];
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  #secret: Promise<Uint8Array> | undefined;

  constructor(database: SqlDatabase, codec: Codec, shown: string) {
    this.#database = database;
    this.#codec = codec;
    this.shown = shown;
    this.close = database.close;
    this.compact = database.compact;
    this.erasure = {
      name: "audit keys",
      erase: async ({ subject, name }, { goesOn }) => {
        let erased = 0;
        // An actor is recorded by its name or by its id, as the application has it.
        for (const each of new Set([name, subject])) {
          goesOn();
          if (await this.delete(each)) erased += 1;
        }
        return { erased };
      },
    };
  }

  readonly pseudonym = async (subject: string): Promise<string> => {
    this.#secret ??= this.#made("").catch((error) => {
      this.#secret = undefined;
      throw error;
    });
    return createHmac("sha256", await this.#secret)
      .update(subject)
      .digest("base64url");
  };

  readonly key = (pseudonym: string): Promise<Uint8Array> => this.#made(pseudonym);

  readonly find = async (pseudonym: string): Promise<Uint8Array | undefined> => {
    await this.#open();
    const [row] = await this.#database.read(
      `SELECT secret, key_id FROM ${this.#database.tables.subject_key} WHERE pseudonym = $1`,
      [pseudonym],
    );
    if (row === undefined) return undefined;
    const { secret, key_id: keyId } = row;
    const text = await this.#codec.decode(secret as string, keyId as string | null, secretPlace(pseudonym));
    return Buffer.from(text, "base64url");
  };

  /** Afterwards the texts that this person's key sealed cannot be read. Returns whether there was one. */
  async delete(subject: string): Promise<boolean> {
    const sql = `DELETE FROM ${this.#database.tables.subject_key} WHERE pseudonym = $1 RETURNING pseudonym`;
    const [rows] = (await this.#database.write([{ sql, values: [await this.pseudonym(subject)] }])) ?? [];
    return (rows?.length ?? 0) > 0;
  }

  async #made(pseudonym: string): Promise<Uint8Array> {
    const found = await this.find(pseudonym);
    if (found !== undefined) return found;
    const secret = randomBytes(KEY_BYTES).toString("base64url");
    const { text, keyId } = this.#codec.encode(secret, secretPlace(pseudonym));
    await this.#database.write([
      {
        sql: `INSERT INTO ${this.#database.tables.subject_key} (pseudonym, secret, key_id) VALUES ($1, $2, $3)
          ON CONFLICT (pseudonym) DO NOTHING`,
        values: [pseudonym, text, keyId],
      },
    ]);
    // That of another process, if it was first. Deleted meanwhile: the next call makes another.
    return (await this.find(pseudonym)) ?? Buffer.from(secret, "base64url");
  }

  async #open(): Promise<void> {
    await Promise.all([this.#database.open(), this.#codec.open?.()]);
  }
}
