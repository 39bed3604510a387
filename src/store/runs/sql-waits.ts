// Runs that wait, and their signals: a row each. See wait-columns.ts.

import { isDeepStrictEqual } from "node:util";

import type { Codec } from "#core/ports/codec.js";
import { endSignal, type KeptSignal, type RunWaits, type SignalAnswer } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";
import { columnKey } from "../sql/column-key.js";
import { signalPlace } from "../sql/places.js";
import { RUN_STATE } from "../sql/run-columns.js";
import type { Service } from "../sql/service.js";
import type { Row, SqlDatabase, SqlValue, Statement } from "../sql/sql-database.js";
import { decodedName, dueNow, encodedName, HAS_ROOM } from "../sql/wait-columns.js";
import { AskedTogether } from "./asked-together.js";
import { fitsRelease, isOfAxons } from "./run-fitting.js";

const SIGNAL = "s.number, s.name, s.sid, s.payload, s.key_id, s.at";

/** What passes the codec of a signal. */
interface KeptText {
  readonly id: string;
  readonly payload: Json;
  readonly actor?: string;
}

export class SqlWaits implements RunWaits {
  readonly listen?: NonNullable<RunWaits["listen"]>;
  readonly #database: SqlDatabase;
  readonly #codec: Codec;
  readonly #service: Service;
  readonly #pending: AskedTogether;

  constructor(database: SqlDatabase, codec: Codec, service: Service) {
    this.#database = database;
    this.#codec = codec;
    this.#service = service;
    const { run, run_signal: signal } = database.tables;
    const token = `'"' || s.name || '"' || s.number || ' '`;
    this.#pending = new AskedTogether(
      database,
      (ids) => `SELECT r.id, ${SIGNAL} FROM ${run} r JOIN ${signal} s ON s.run = r.seq
        WHERE r.id IN ${ids} AND replace(r.signals, ${token}, '') <> r.signals ORDER BY s.run, s.number`,
    );
    const { listen } = database;
    if (listen !== undefined) this.listen = (heard) => listen(heard);
  }

  readonly due: RunWaits["due"] = async ({ axons, release, withinMs, limit }) => {
    const { dialect, tables, read } = this.#database;
    const values: SqlValue[] = [];
    const given = (value: SqlValue): string => `$${values.push(value)}`;
    const where = [
      `r.due IS NOT NULL AND r.state < ${RUN_STATE.ended}`,
      `r.due <= ${dialect.now} + ${given(withinMs)}`,
      `r.service IN ('', ${given(this.#service.name)})`,
      isOfAxons(dialect, axons, given),
      fitsRelease(release, given),
    ];
    const rows = await read(
      `SELECT r.id, r.axon, r.known, r.service, r.due - ${dialect.now} AS due_in FROM ${tables.run} r
        WHERE ${where.join(" AND ")} ORDER BY r.due LIMIT ${given(limit)}`,
      values,
    );
    return rows.map(({ id, axon, known, service, due_in: dueInMs }) => ({
      ...{ id: this.#service.idOf(String(id), String(service)), axon: String(axon) },
      ...{ entries: Number(known), dueInMs: Number(dueInMs) },
    }));
  };

  readonly signal: RunWaits["signal"] = async (run, { name, payload, id, actor }) => {
    const sid = columnKey(id);
    const text = JSON.stringify({ id, payload, ...(actor !== undefined && { actor }) } satisfies KeptText);
    const encoded = this.#codec.encode(text, signalPlace(run, sid));
    const kept = [encodedName(name), sid, encoded.text, encoded.keyId];
    const isEnd = name.startsWith(endSignal(""));
    const { dialect, write } = this.#database;
    const keeping =
      dialect.name === "postgres" ? this.#keepingInOne(run, kept, isEnd) : this.#keeping(run, kept, isEnd);
    const results = (await write(keeping)) ?? [];
    const row = results[0]?.[0];
    if (row === undefined) return { kind: "unknown" };
    const { is_awaited: isAwaited = null } = results.at(-1)?.[0] ?? {};
    if (isAwaited !== null) return { kind: "kept", isAwaited: Number(isAwaited) === 1 };
    return this.#refused(run, sid, row, { name, payload });
  };

  readonly signals: RunWaits["signals"] = async (run, names) => {
    const kept = names.map(encodedName);
    const rows = (await this.#pending.rowsOf(run)).filter(({ name }) => kept.includes(String(name)));
    return Promise.all(rows.map((row) => this.#signalIn(run, row)));
  };

  /** All of them, those that were taken too. */
  async keptOf(run: string): Promise<readonly KeptSignal[]> {
    const { tables, read } = this.#database;
    const rows = await read(
      `SELECT ${SIGNAL} FROM ${tables.run} r
        JOIN ${tables.run_signal} s ON s.run = r.seq WHERE r.id = $1 ORDER BY s.number`,
      [run],
    );
    return Promise.all(rows.map((row) => this.#signalIn(run, row)));
  }

  readonly wake: RunWaits["wake"] = async (run, known) => {
    const { dialect, tables, write } = this.#database;
    const sql = `UPDATE ${tables.run} SET due = ${dueNow(dialect.now)}
      WHERE id = $1 AND known = $2 AND waits_for IS NOT NULL AND state < ${RUN_STATE.ended} RETURNING id`;
    const [rows] = (await write([{ sql, values: [run, known] }])) ?? [];
    return (rows?.length ?? 0) > 0;
  };

  readonly untold: RunWaits["untold"] = async (limit) => {
    const { tables, read } = this.#database;
    const rows = await read(
      `SELECT id, tells, service FROM ${tables.run} WHERE tells IS NOT NULL AND state = ${RUN_STATE.ended}
        AND service IN ('', $1) ORDER BY seq LIMIT $2`,
      [this.#service.name, limit],
    );
    return rows.map(({ id, tells, service }) => ({
      ...{ id: this.#service.idOf(String(id), String(service)), tells: String(tells) },
    }));
  };

  readonly told: RunWaits["told"] = async (run) => {
    const { tables, write } = this.#database;
    await write([{ sql: `UPDATE ${tables.run} SET tells = NULL WHERE id = $1`, values: [run] }]);
  };

  /** In one round trip. The row is locked first: what follows is of its newest version. */
  #keepingInOne(run: string, kept: readonly SqlValue[], isEnd: boolean): readonly Statement[] {
    const { dialect, tables } = this.#database;
    const { now } = dialect;
    const isAwaited = "replace(r.waits_for, '\"' || $2::text || '\"', '') <> r.waits_for";
    const [told] = dialect.notified("SELECT 1 FROM changed WHERE is_awaited = 1", []);
    const sql = `WITH r AS MATERIALIZED (SELECT * FROM ${tables.run} WHERE id = $1 FOR UPDATE),
      inserted AS (INSERT INTO ${tables.run_signal} (run, number, name, sid, payload, key_id, at)
        SELECT r.seq, r.signalled + 1, $2, $3, $4, $5, ${now} FROM r
        WHERE r.state < ${RUN_STATE.ended}${isEnd ? "" : ` AND ${HAS_ROOM}`}
        ON CONFLICT (run, sid) DO NOTHING RETURNING run),
      changed AS (UPDATE ${tables.run} t SET signalled = r.signalled + 1,
          signals = coalesce(r.signals, '') || '"' || $2::text || '"' || (r.signalled + 1) || ' ',
          due = CASE WHEN ${isAwaited} THEN CASE WHEN r.due <= ${now} THEN r.due ELSE ${now} END ELSE r.due END
        FROM inserted, r WHERE t.seq = inserted.run AND r.seq = t.seq
        RETURNING CASE WHEN ${isAwaited} THEN 1 ELSE 0 END AS is_awaited)
      SELECT r.state, (SELECT is_awaited FROM changed) AS is_awaited,
        (${told?.sql}) AS told FROM r`;
    return [{ sql, values: [run, ...kept] }];
  }

  #keeping(run: string, kept: readonly SqlValue[], isEnd: boolean): readonly Statement[] {
    const { dialect, tables } = this.#database;
    const { now } = dialect;
    const [name] = kept as readonly [SqlValue];
    const isAwaited = "replace(waits_for, '\"' || CAST($2 AS text) || '\"', '') <> waits_for";
    const isNew = `EXISTS (SELECT 1 FROM ${tables.run_signal} s WHERE s.run = ${tables.run}.seq AND s.number = signalled + 1)`;
    return [
      { sql: `SELECT state FROM ${tables.run} WHERE id = $1`, values: [run] },
      {
        sql: `INSERT INTO ${tables.run_signal} (run, number, name, sid, payload, key_id, at)
          SELECT r.seq, r.signalled + 1, $2, $3, $4, $5, ${now} FROM ${tables.run} r
          WHERE r.id = $1 AND r.state < ${RUN_STATE.ended}${isEnd ? "" : ` AND ${HAS_ROOM}`}
          ON CONFLICT (run, sid) DO NOTHING RETURNING number`,
        values: [run, ...kept],
      },
      {
        sql: `UPDATE ${tables.run} SET signalled = signalled + 1,
            signals = coalesce(signals, '') || '"' || CAST($2 AS text) || '"' || (signalled + 1) || ' ',
            due = CASE WHEN ${isAwaited} THEN ${dueNow(now)} ELSE due END
          WHERE id = $1 AND ${isNew} RETURNING CASE WHEN ${isAwaited} THEN 1 ELSE 0 END AS is_awaited`,
        values: [run, name],
      },
    ];
  }

  async #refused(
    run: string,
    sid: string,
    { state }: Row,
    { name, payload }: { readonly name: string; readonly payload: Json },
  ): Promise<SignalAnswer> {
    const { tables, read } = this.#database;
    const [row] = await read(
      `SELECT ${SIGNAL} FROM ${tables.run} r JOIN ${tables.run_signal} s ON s.run = r.seq
        WHERE r.id = $1 AND s.sid = $2`,
      [run, sid],
    );
    if (row === undefined) return { kind: Number(state) === RUN_STATE.ended ? "ended" : "full" };
    const kept = await this.#signalIn(run, row);
    const isSame = kept.name === name && isDeepStrictEqual(kept.payload, JSON.parse(JSON.stringify(payload)));
    return { kind: "known", isSame };
  }

  async #signalIn(run: string, row: Row): Promise<KeptSignal> {
    const { number, name, sid, payload, key_id: keyId, at } = row;
    const place = signalPlace(run, String(sid));
    const text = await this.#codec.decode(String(payload), keyId as string | null, place);
    const { id, actor, payload: value } = JSON.parse(text) as KeptText;
    return {
      ...{ id, name: decodedName(String(name)), payload: value, number: Number(number), at: Number(at) },
      ...(actor !== undefined && { actor }),
    };
  }
}
