// The tables of a store as the command line looks at them and migrates them.

import { existsSync } from "node:fs";

import { FrameworkError } from "#core/errors.js";
import { databaseOf } from "./database-of.js";
import { STORE_VERSION, versionOf } from "./sql/migrations.js";
import type { Compacted } from "./sql/sql-database.js";
import { type StoreUrl, storeUrl } from "./sql/store-url.js";

export interface TablesVersions {
  /** The URL without its password. */
  readonly shown: string;
  /** 0 where there are no tables. */
  readonly found: number;
  readonly release: number;
}

/** Changes nothing: a file of SQLite that does not exist has no tables. */
export async function checkTables(url: string): Promise<TablesVersions> {
  const parsed = tablesUrl(url);
  const { shown } = parsed;
  if (parsed.kind === "sqlite" && !existsSync(parsed.file))
    return { shown, found: 0, release: STORE_VERSION };
  const database = databaseOf(parsed, { asFound: true });
  try {
    await database.open();
    return { shown, found: await versionOf(database), release: STORE_VERSION };
  } finally {
    await database.close();
  }
}

/** `found` is what there was before. Throws STORE_VERSION for tables that are newer. */
export async function migrateTables(url: string): Promise<TablesVersions> {
  const before = await checkTables(url);
  const database = databaseOf(tablesUrl(url), {});
  try {
    await database.open();
  } finally {
    await database.close();
  }
  return before;
}

/** Rewrites the tables without what was deleted or replaced. */
export async function compactStore(url: string): Promise<Compacted> {
  const database = databaseOf(tablesUrl(url), { autoMigrate: false });
  try {
    return await database.compact();
  } finally {
    await database.close();
  }
}

/** Throws CONFIG_INVALID for a store in memory. */
export function tablesUrl(url: string): Exclude<StoreUrl, { readonly kind: "memory" }> {
  const parsed = storeUrl(url);
  if (parsed.kind !== "memory") return parsed;
  throw new FrameworkError("CONFIG_INVALID", "memory: has no tables; set persistence.url, or give the URL");
}
