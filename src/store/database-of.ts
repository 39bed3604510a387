import { PostgresDatabase } from "./postgres/postgres-database.js";
import type { SqlDatabase } from "./sql/sql-database.js";
import type { StoreUrl } from "./sql/store-url.js";
import { tablesOf } from "./sql/tables.js";
import { SqliteDatabase } from "./sqlite/sqlite-database.js";

export interface OpeningOptions {
  /** Whether opening applies migrations. If not, tables of another version are STORE_VERSION. Default true. */
  readonly autoMigrate?: boolean;
  /** Opens it whatever its tables are, and changes nothing of it. */
  readonly asFound?: boolean;
}

/** Opens nothing. */
export function databaseOf(
  parsed: Exclude<StoreUrl, { readonly kind: "memory" }>,
  { autoMigrate = true, asFound = false }: OpeningOptions,
): SqlDatabase {
  const how = { autoMigrate, asFound };
  if (parsed.kind === "sqlite")
    return new SqliteDatabase({ file: parsed.file, tables: tablesOf({}), ...how });
  const { urls, shown, schema = "framework", prefix = "", ssl } = parsed;
  return new PostgresDatabase({ urls, shown, schema, tables: tablesOf({ schema, prefix }), ssl, ...how });
}
