// The tables, in numbered migrations that are applied in order when a store opens. A migration
// that was released never changes: a new one follows it.

import { FrameworkError } from "#core/errors.js";
import { NO_HASH } from "#core/ports/audit-event.js";
import { AUDIT_APPEND, AUDIT_COLUMNS, AUDIT_ROW, auditAppendOf, UNKEPT } from "./audit-columns.js";
import { columnsSince } from "./run-columns.js";
import type { SqlDatabase, Statement } from "./sql-database.js";

type Migrated = Pick<SqlDatabase, "dialect" | "tables" | "read" | "write">;

export interface MigrateOptions {
  readonly autoMigrate: boolean;
  /** The URL without its password. */
  readonly shown: string;
  /** Default: STORE_VERSION. A test makes the tables of an earlier release. */
  readonly to?: number;
}

type Migration = (of: Pick<Migrated, "dialect" | "tables">) => readonly string[];

/** Without the schema: an index is put beside its table. */
const indexIn =
  (t: Migrated["tables"]) =>
  (table: keyof Migrated["tables"], name: string, on: string): string => {
    const [, plain = ""] = /"([^"]+)"$/.exec(t[table]) ?? [];
    return `CREATE INDEX IF NOT EXISTS "${plain}_${name}" ON ${t[table]} ${on}`;
  };

/** `text` holds JSON: jsonb would reorder keys, refuse NUL and cost a parse. Times are in milliseconds since 1970. */
const first: Migration = ({ dialect, tables: t }) => {
  const isPostgres = dialect.name === "postgres";
  const serial = isPostgres
    ? "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    : "INTEGER PRIMARY KEY AUTOINCREMENT";
  // Rows that are updated at each checkpoint: room for the new version on the same page.
  const updated = isPostgres ? " WITH (fillfactor = 70)" : "";
  const clustered = isPostgres ? "" : " WITHOUT ROWID";
  const index = indexIn(t);
  return [
    `CREATE TABLE IF NOT EXISTS ${t.run} (seq ${serial}, id text NOT NULL UNIQUE, axon text NOT NULL,
      version text NOT NULL, began_at bigint NOT NULL, at bigint NOT NULL, known bigint NOT NULL,
      state smallint NOT NULL, retry_at bigint NOT NULL, host text, subject text, trace text)${updated}`,
    index("run", "unfinished", "(axon, version, seq) WHERE state < 2"),
    index("run", "listed", "(seq) WHERE state < 2"),
    index("run", "hosted", "(host) WHERE state < 2"),
    index("run", "ended", "(at) WHERE state = 2"),
    index("run", "subject", "(subject) WHERE subject IS NOT NULL"),
    `CREATE TABLE IF NOT EXISTS ${t.run_part} (run bigint NOT NULL, known bigint NOT NULL,
      entries text NOT NULL, key_id text, PRIMARY KEY (run, known))${clustered}`,
    `CREATE TABLE IF NOT EXISTS ${t.host} (id text PRIMARY KEY, until bigint NOT NULL, ttl bigint NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${t.letter} (seq ${serial}, id text NOT NULL UNIQUE, axon text NOT NULL,
      node text NOT NULL, failed_at bigint NOT NULL, subject text, letter text NOT NULL, key_id text)`,
    index("letter", "axon", "(axon, node, seq)"),
    index("letter", "subject", "(subject) WHERE subject IS NOT NULL"),
    `CREATE TABLE IF NOT EXISTS ${t.session} (key text PRIMARY KEY, until bigint NOT NULL, owner text,
      created_at bigint, expires_at bigint, version bigint, login text, key_id text, data text,
      data_key_id text)`,
    index("session", "owner", "(owner) WHERE owner IS NOT NULL"),
    index("session", "until", "(until)"),
    `CREATE TABLE IF NOT EXISTS ${t.idempotency} (key text PRIMARY KEY, fingerprint text NOT NULL,
      token text NOT NULL, until bigint NOT NULL, is_kept smallint NOT NULL, subject text, answer text,
      key_id text)`,
    index("idempotency", "until", "(until)"),
    index("idempotency", "subject", "(subject) WHERE subject IS NOT NULL"),
    `CREATE TABLE IF NOT EXISTS ${t.lock} (key text PRIMARY KEY, token bigint NOT NULL, until bigint NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${t.lock_counter} (id smallint PRIMARY KEY, token bigint NOT NULL)`,
  ];
};

/** Texts are compared by their bytes: timestamps by their time, in whatever locale the database is. */
const audit: Migration = ({ dialect, tables: t }) => {
  const text = dialect.name === "postgres" ? 'text COLLATE "C"' : "text";
  const index = indexIn(t);
  return [
    `CREATE TABLE IF NOT EXISTS ${t.audit} (seq bigint PRIMARY KEY, id ${text} NOT NULL UNIQUE,
      at ${text} NOT NULL, actor ${text} NOT NULL, action ${text} NOT NULL, target ${text} NOT NULL,
      intent ${text}, metadata ${text} NOT NULL, prev_hash ${text} NOT NULL, hash ${text} NOT NULL)`,
    index("audit", "at", "(at)"),
    index("audit", "actor", "(actor, seq)"),
    index("audit", "action", "(action, seq)"),
    index("audit", "target", "(target, seq)"),
    `CREATE TABLE IF NOT EXISTS ${t.audit_checkpoint} (number bigint PRIMARY KEY, checkpoint text NOT NULL)`,
  ];
};

/**
 * Links and inserts events in one round trip, so that no process that is halted holds the log. An event
 * whose id is kept is answered as it is kept. Writers of all processes take turns by an advisory lock.
 */
const auditAppend: Migration = ({ dialect, tables: { audit: t } }) => {
  if (dialect.name !== "postgres") return [];
  const arrays = AUDIT_APPEND.map((name) => `${name}s text[]`);
  const given = AUDIT_COLUMNS.map((name) => `${name}s[i]`);
  return [
    `CREATE OR REPLACE FUNCTION ${auditAppendOf(t)}(${arrays}) RETURNS TABLE (is_new boolean, event ${t})
      LANGUAGE plpgsql AS $$
    DECLARE
      link text;
      place bigint;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('${t}', 0));
      SELECT seq, hash INTO place, link FROM ${t} ORDER BY seq DESC LIMIT 1;
      place := coalesce(place, 0);
      link := coalesce(link, '${NO_HASH}');
      FOR i IN 1 .. cardinality(ids) LOOP
        SELECT * INTO event FROM ${t} WHERE id = ids[i];
        is_new := NOT FOUND;
        IF is_new THEN
          place := place + 1;
          INSERT INTO ${t} (${AUDIT_ROW}) VALUES (place, ${given}, link,
            encode(sha256(convert_to(befores[i] || link || behinds[i], 'UTF8')), 'hex'));
          SELECT * INTO event FROM ${t} WHERE seq = place AND id = ids[i];
          IF NOT FOUND THEN
            RAISE EXCEPTION '${UNKEPT}';
          END IF;
          link := event.hash;
        END IF;
        RETURN NEXT;
      END LOOP;
    END $$`,
  ];
};

/** An old process goes on beside them: each has a default, and no table is locked for longer than a moment. */
const operations: Migration = (of) => {
  const { tables: t, dialect } = of;
  const serial =
    dialect.name === "postgres"
      ? "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
      : "INTEGER PRIMARY KEY AUTOINCREMENT";
  const add = (table: string, ...columns: readonly string[]): readonly string[] =>
    columns.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column}`);
  return [
    ...auditAppend(of),
    ...columnsSince(t.run, 3),
    ...add(t.idempotency, "host text", OF_SERVICE),
    ...add(t.letter, OF_SERVICE, "claimed_by text", "claimed_until bigint NOT NULL DEFAULT 0"),
    indexIn(t)("letter", "failed", "(failed_at)"),
    ...add(t.session, OF_SERVICE),
    ...add(t.host, OF_SERVICE, "left_at bigint"),
    `CREATE TABLE IF NOT EXISTS ${t.request} (seq ${serial}, id text NOT NULL UNIQUE, service text NOT NULL,
      kind text NOT NULL, target text NOT NULL, host text, by text NOT NULL, reason text, at bigint NOT NULL,
      until bigint NOT NULL, answered_at bigint, answer text)`,
    `CREATE TABLE IF NOT EXISTS ${t.service} (name text PRIMARY KEY, is_plain smallint NOT NULL)`,
    indexIn(t)("request", "open", "(host) WHERE answered_at IS NULL"),
    indexIn(t)("run", "cancelled", "(host) WHERE cancel IS NOT NULL AND state < 2"),
  ];
};

/** Empty for rows of before: they belong to the service that has their Axon. */
const OF_SERVICE = "service text NOT NULL DEFAULT ''";

/** `sink` is empty in the row of a request itself; `subject` is a hash of the request and its subject. */
const erasure: Migration = ({ tables: t }) => [
  `CREATE TABLE IF NOT EXISTS ${t.erasure} (id text NOT NULL, sink text NOT NULL, subject text NOT NULL,
    erased bigint NOT NULL, at bigint NOT NULL, PRIMARY KEY (id, sink))`,
  `CREATE TABLE IF NOT EXISTS ${t.subject_key} (pseudonym text PRIMARY KEY, secret text NOT NULL, key_id text)`,
];

/** A label is found by its hash: see `labelHash`. */
const labels: Migration = ({ dialect, tables: t }) => [
  `CREATE TABLE IF NOT EXISTS ${t.run_label} (run bigint NOT NULL, name text NOT NULL, term text NOT NULL,
    kept text NOT NULL, PRIMARY KEY (run, name))${dialect.name === "postgres" ? "" : " WITHOUT ROWID"}`,
  indexIn(t)("run_label", "term", "(term, run)"),
];

/** Where a run is, and what its host tells of itself. */
const hosts: Migration = ({ tables: t }) => [
  ...columnsSince(t.run, 6),
  `ALTER TABLE ${t.host} ADD COLUMN facts text`,
];

/** A build of before leaves a run that waits alone: it has no host. */
const waits: Migration = ({ dialect, tables: t }) => {
  const index = indexIn(t);
  const drop = (name: string): string => `DROP INDEX IF EXISTS ${t.run.replace(/"$/, `_${name}"`)}`;
  return [
    ...columnsSince(t.run, 7),
    // Lists show the newest first: see sql-run-list.ts.
    ...[drop("unfinished"), index("run", "axon", "(axon, began_at, seq) WHERE state < 2")],
    ...[drop("subject"), index("run", "subjects", "(subject, began_at, seq) WHERE subject IS NOT NULL")],
    index("run", "axon_ended", "(axon, outcome, began_at, seq) WHERE state = 2"),
    index("run", "outcome", "(outcome, began_at, seq) WHERE state = 2"),
    index("run", "outcome_unknown", "(began_at, seq) WHERE state = 2 AND outcome IS NULL"),
    index("run", "running", "(began_at, seq) WHERE state = 0 AND waits_for IS NULL"),
    index("run", "waiting", "(began_at, seq) WHERE state < 2 AND waits_for <> '[]'"),
    index("run", "sleeping", "(began_at, seq) WHERE state < 2 AND waits_for = '[]'"),
    index("run", "stuck", "(began_at, seq) WHERE state = 1"),
    index("run", "unfit", "(began_at, seq) WHERE state < 2 AND unfit_by IS NOT NULL"),
    index("run", "due", "(due) WHERE due IS NOT NULL AND state < 2"),
    index("run", "untold", "(seq) WHERE tells IS NOT NULL AND state = 2"),
    `CREATE TABLE IF NOT EXISTS ${t.run_signal} (run bigint NOT NULL, number bigint NOT NULL,
      name text NOT NULL, sid text NOT NULL, payload text NOT NULL, key_id text, at bigint NOT NULL,
      PRIMARY KEY (run, number), UNIQUE (run, sid))${dialect.name === "postgres" ? "" : " WITHOUT ROWID"}`,
  ];
};

/** A host of before leaves a request with a payload to others: it knows none of their kinds. */
const payloads: Migration = ({ tables: t }) => [`ALTER TABLE ${t.request} ADD COLUMN payload text`];

/**
 * A bucket that many take from is one row: its new versions stay on its page, where no index names their
 * values. UNLOGGED: see sql-rates.ts.
 */
const rates: Migration = ({ dialect, tables: t }) => {
  const isPostgres = dialect.name === "postgres";
  const [kind, key, clustered] = isPostgres
    ? ["UNLOGGED TABLE", 'text COLLATE "C"', " WITH (fillfactor = 50)"]
    : ["TABLE", "text", " WITHOUT ROWID"];
  return [
    `CREATE ${kind} IF NOT EXISTS ${t.rate} (key ${key} PRIMARY KEY, full_at bigint NOT NULL,
      until bigint NOT NULL)${clustered}`,
  ];
};

const MIGRATIONS: readonly Migration[] = [
  ...[first, audit, operations, erasure, labels, hosts, waits],
  ...[payloads, rates],
];

/** The version of the tables that this release reads and writes. */
export const STORE_VERSION = MIGRATIONS.length;

/** Brings the tables to STORE_VERSION. Throws STORE_VERSION where it may not, or they are newer. */
export async function migrate(database: Migrated, options: MigrateOptions): Promise<void> {
  const { autoMigrate, shown, to = STORE_VERSION } = options;
  const found = await versionOf(database);
  if (found === to) return;
  if (found > STORE_VERSION)
    throw new FrameworkError(
      "STORE_VERSION",
      `${shown}: its tables are of version ${found}, this release knows ${STORE_VERSION}: use the release that made them, or a newer one`,
    );
  if (!autoMigrate)
    throw new FrameworkError(
      "STORE_VERSION",
      `${shown}: its tables are of version ${found}, this release needs ${STORE_VERSION}: run "framework store migrate", or set auto_migrate`,
    );
  const plain = (sql: string): Statement => ({ sql, values: [] });
  const { version } = database.tables;
  const pending = MIGRATIONS.slice(found, to).flatMap((migration) => migration(database));
  const migrated = await database.write([
    ...database.dialect.serialized("SELECT 'framework migration'", []),
    plain(`CREATE TABLE IF NOT EXISTS ${version} (version bigint NOT NULL)`),
    // Another process may have migrated them since, one of a newer release too.
    {
      sql: `SELECT 1 AS found WHERE coalesce((SELECT max(version) FROM ${version}), 0) = $1`,
      values: [found],
      must: true,
    },
    ...pending.map(plain),
    plain(`DELETE FROM ${version}`),
    plain(`INSERT INTO ${version} (version) VALUES (${to})`),
  ]);
  if (migrated === undefined) await migrate(database, options);
}

/** 0 where there are no tables yet. */
export async function versionOf({ dialect, tables, read }: Omit<Migrated, "write">): Promise<number> {
  const exists =
    dialect.name === "postgres"
      ? "SELECT to_regclass($1) IS NOT NULL AS found"
      : "SELECT count(*) AS found FROM sqlite_master WHERE name = $1";
  const name = dialect.name === "postgres" ? tables.version : tables.version.replaceAll('"', "");
  const [table] = await read(exists, [name]);
  if (!table?.["found"]) return 0;
  const [row] = await read(`SELECT max(version) AS version FROM ${tables.version}`, []);
  return Number(row?.["version"] ?? 0);
}
