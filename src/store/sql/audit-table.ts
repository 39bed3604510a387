// What the table of the audit log must have so that it keeps no forged row. A user who may alter it can
// take that away.

import type { Row, SqlDatabase } from "./sql-database.js";

/** Of the columns that must have a text in each row. */
const REQUIRED = ["id", "at", "actor", "action", "target", "metadata", "prev_hash", "hash"];

/** The facts that are judged, in one row for each: of a column, of a unique key of one column, of a trigger. */
const FACTS = {
  sqlite: (name: string) => `
    SELECT 'required' AS kind, name FROM pragma_table_info(${name}) WHERE "notnull" = 1
    UNION ALL SELECT 'key', name FROM pragma_table_info(${name}) WHERE pk = 1
    UNION ALL SELECT 'unique', min(i.name) FROM pragma_index_list(${name}) l, pragma_index_info(l.name) i
      WHERE l."unique" = 1 AND l.partial = 0 GROUP BY l.name HAVING count(*) = 1
    UNION ALL SELECT 'trigger', name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ${name}`,
  postgres: (name: string) => `
    SELECT 'required' AS kind, attname::text AS name FROM pg_attribute
      WHERE attrelid = to_regclass(${name}) AND attnum > 0 AND attnotnull
    UNION ALL SELECT CASE WHEN i.indisprimary THEN 'key' ELSE 'unique' END, a.attname::text
      FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = to_regclass(${name}) AND i.indisunique AND i.indisvalid AND i.indnatts = 1 AND i.indpred IS NULL
    UNION ALL SELECT 'trigger', tgname::text FROM pg_trigger
      WHERE tgrelid = to_regclass(${name}) AND NOT tgisinternal
    UNION ALL SELECT 'trigger', rulename::text FROM pg_rules
      WHERE to_regclass(format('%I.%I', schemaname, tablename)) = to_regclass(${name})`,
};

/** What is wrong with the table; empty for the one that the migrations made. */
export async function auditDefects({ dialect, tables, read }: SqlDatabase): Promise<readonly string[]> {
  const { audit } = tables;
  const isPostgres = dialect.name === "postgres";
  const facts = await read(FACTS[isPostgres ? "postgres" : "sqlite"]("$1"), [
    isPostgres ? audit : audit.replaceAll('"', ""),
  ]);
  const named = (kind: string): readonly string[] =>
    facts.filter((fact: Row) => fact["kind"] === kind).map((fact: Row) => String(fact["name"]));
  const required = named("required");
  const missing = REQUIRED.filter((column) => !required.includes(column));
  return [
    ...(missing.length > 0 ? [`its table takes rows without ${missing.join(", ")}: NOT NULL is gone`] : []),
    ...(named("key").includes("seq") ? [] : ["its table takes a position twice: the primary key is gone"]),
    ...(named("unique").includes("id") ? [] : ["its table takes an id twice: the unique key is gone"]),
    ...named("trigger").map(
      (name) => `its table has the trigger '${name}', which may change what is appended`,
    ),
  ];
}
