// Rewrites what a store keeps under older keys, or plain, while it is in use: what another process
// changes meanwhile is left to the next pass. It is begun anew after it was ended: what is done is skipped.

import { FrameworkError } from "#core/errors.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { Codec, CodecKeys } from "#core/ports/codec.js";
import { databaseOf } from "./database-of.js";
import {
  encodedPair,
  type KeptColumn,
  pairIn,
  SUBJECT_COLUMNS,
  TEXT_COLUMNS,
  type TextColumn,
} from "./sql/places.js";
import type { Row, SqlDatabase, SqlValue } from "./sql/sql-database.js";
import { tablesUrl } from "./store-tables.js";

/** Rows in memory at once: a log or a response may have a megabyte. */
const AT_ONCE = 50;
const MAX_PASSES = 3;
const MAX_NAMED = 20;
/** Tables whose rows belong to a run. */
const PARTS: ReadonlySet<string> = new Set(["run_part", "run_label", "run_signal"]);

export interface EncryptStoreOptions {
  readonly onProgress?: (progress: { readonly table: string; readonly rewritten: number }) => void;
}

/** Rows are counted once for each of their columns. */
export interface EncryptedStore {
  /** The URL without its password. */
  readonly shown: string;
  readonly current: string;
  readonly rewritten: number;
  /** How many are under each key of the codec, and of others that were found. */
  readonly byKey: ReadonlyMap<string, number>;
  /** How many are plain. */
  readonly plain: number;
  /** Why rows are left; at most 20. */
  readonly left: readonly string[];
}

/**
 * Rewrites rows that are plain or under an older key to the current key of `codec`. Rows that it cannot
 * decode are named and left. Rejects with STORE_VERSION where the tables are of another release.
 */
export async function encryptStore(
  url: string,
  codec: Codec,
  options: EncryptStoreOptions = {},
): Promise<EncryptedStore> {
  requireKnownOptions("encryptStore", options, ["onProgress"]);
  const parsed = tablesUrl(url);
  await codec.open?.();
  const { keys } = codec;
  if (keys === undefined)
    throw invalidOption("encryptStore", "the codec has no keys: give an EncryptionHook");
  const database = databaseOf(parsed, { autoMigrate: false });
  try {
    await database.open();
    return { shown: parsed.shown, ...(await new Rewriting(database, codec, keys, options).all()) };
  } finally {
    await database.close();
  }
}

interface Kept {
  readonly keyId: string | null;
  /** Values of the columns that `set` names. Rejects where it cannot be decoded. */
  readonly rewritten: () => Promise<readonly SqlValue[]>;
}

interface Column extends KeptColumn {
  readonly needs: readonly string[];
  readonly set: readonly string[];
  /** SQL of whether a row may be of another key. */
  readonly isOlder: string;
  readonly keptIn: (row: Row) => Kept;
}

class Rewriting {
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #keys: CodecKeys;
  readonly #options: EncryptStoreOptions;
  #rewritten = 0;
  /** Of the newest pass; null is the key of plain ones. */
  #older = new Map<string | null, number>();
  #left: string[] = [];

  constructor(database: SqlDatabase, codec: Codec, keys: CodecKeys, options: EncryptStoreOptions) {
    this.#database = database;
    this.#codec = codec;
    this.#keys = keys;
    this.#options = options;
  }

  async all(): Promise<Omit<EncryptedStore, "shown">> {
    const { current, ids } = this.#keys;
    const columns = [
      ...TEXT_COLUMNS.map((column) => this.#ofText(column)),
      ...SUBJECT_COLUMNS.map((column) => this.#ofSubject(column)),
    ];
    for (let pass = 1, before = -1; pass <= MAX_PASSES && this.#rewritten !== before; pass += 1) {
      before = this.#rewritten;
      this.#older = new Map();
      this.#left = [];
      for (const column of columns) await this.#walk(column);
    }
    let count = 0;
    for (const { table, column } of columns) count += await this.#countOf(table, column);
    const older = [...this.#older.values()].reduce((sum, rows) => sum + rows, 0);
    const byKey = new Map([[current, Math.max(0, count - older)]]);
    for (const id of ids) if (id !== current) byKey.set(id, 0);
    for (const [id, rows] of this.#older) if (id !== null) byKey.set(id, rows);
    const plain = this.#older.get(null) ?? 0;
    return { current, rewritten: this.#rewritten, byKey, plain, left: this.#left };
  }

  async #walk(of: Column): Promise<void> {
    const { table, column, key, needs, isOlder } = of;
    const { run, [table]: name } = this.#database.tables;
    const from = PARTS.has(table)
      ? `(SELECT p.*, r.id FROM ${name} p JOIN ${run} r ON r.seq = p.run) AS each`
      : name;
    const columns = [...new Set([...key, ...needs, column, ...of.set])];
    const behind = key.map((_, at) => `$${at + 1}`);
    for (let last: readonly SqlValue[] = []; ; ) {
      const after = last.length === 0 ? "" : `AND (${key}) > (${behind})`;
      const rows = await this.#database.read(
        `SELECT ${columns} FROM ${from} WHERE ${column} IS NOT NULL AND ${isOlder} ${after}
          ORDER BY ${key} LIMIT ${AT_ONCE}`,
        last,
      );
      // Each for itself: appends to several runs take their rows in another order.
      await Promise.all(rows.map((row) => this.#rewrite(of, row)));
      this.#options.onProgress?.({ table, rewritten: this.#rewritten });
      const end = rows.at(-1);
      if (end === undefined || rows.length < AT_ONCE) return;
      last = key.map((name) => end[name] as SqlValue);
    }
  }

  async #rewrite({ table, column, key, set, keptIn }: Column, row: Row): Promise<void> {
    let keyId: string | null = null;
    try {
      const kept = keptIn(row);
      keyId = kept.keyId;
      if (keyId === this.#keys.current) return;
      const values = [...(await kept.rewritten()), ...key.map((name) => row[name] as SqlValue)];
      const assigned = set.map((name, at) => `${name} = $${at + 1}`);
      const found = key.map((name, at) => `${name} = $${set.length + at + 1}`);
      const sql = `UPDATE ${this.#database.tables[table]} SET ${assigned}
        WHERE ${found.join(" AND ")} AND ${column} = $${values.length + 1} RETURNING 1 AS found`;
      const [changed] =
        (await this.#database.write([{ sql, values: [...values, row[column] as SqlValue] }])) ?? [];
      if ((changed?.length ?? 0) > 0) {
        this.#rewritten += 1;
        return;
      }
    } catch (error) {
      if (error instanceof FrameworkError && error.code === "STORE_UNAVAILABLE") throw error;
      const named = key.map((name) => JSON.stringify(row[name])).join(" ");
      const why = error instanceof FrameworkError ? error.message : "it is damaged";
      if (this.#left.length < MAX_NAMED) this.#left.push(`${table}.${column} of ${key} ${named}: ${why}`);
    }
    this.#older.set(keyId, (this.#older.get(keyId) ?? 0) + 1);
  }

  async #countOf(table: Column["table"], column: string): Promise<number> {
    const { tables, read } = this.#database;
    const [row] = await read(
      `SELECT count(*) AS found FROM ${tables[table]} WHERE ${column} IS NOT NULL`,
      [],
    );
    return Number(row?.["found"]);
  }

  #ofText(of: TextColumn): Column {
    const codec = this.#codec;
    const { table, column, keyId: keyColumn } = of;
    const kept = (row: Row): readonly [string, string | null] =>
      keyColumn === undefined
        ? pairIn(String(row[column]), {
            table,
            field: column,
            row: of.key.map((name) => row[name]).join(" "),
          })
        : [String(row[column]), row[keyColumn] as string | null];
    return {
      ...of,
      set: keyColumn === undefined ? [column] : [column, keyColumn],
      isOlder:
        keyColumn === undefined
          ? "1 = 1"
          : `(${keyColumn} IS NULL OR ${keyColumn} <> '${this.#keys.current}')`,
      keptIn: (row) => {
        const [text, keyId] = kept(row);
        return {
          keyId,
          rewritten: async () => {
            const place = await of.place(row, codec);
            const plain = await codec.decode(text, keyId, place);
            if (keyColumn === undefined) return [encodedPair(codec, plain, place)];
            const encoded = codec.encode(plain, place);
            return [encoded.text, encoded.keyId];
          },
        };
      },
    };
  }

  #ofSubject(of: KeptColumn): Column {
    const { current, hashOf, subject } = this.#keys;
    const { column } = of;
    const form = `keyed:${current}:`;
    return {
      ...of,
      ...{ needs: [], set: [column], isOlder: `substr(${column}, 1, ${form.length}) <> '${form}'` },
      keptIn: (row) => {
        const kept = String(row[column]);
        return {
          keyId: /^keyed:([\w.-]+):/.exec(kept)?.[1] ?? null,
          rewritten: async () => [subject(await hashOf(kept))],
        };
      },
    };
  }
}
