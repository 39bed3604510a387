import { describe } from "node:test";
import { type OpenedRuns, runStoreContract } from "framework/testing/contracts";
import { plainCodec } from "#store/sql/codec.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { SqlRuns } from "#store/sql/sql-runs.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { passIn, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const sqlite = sqliteDatabases();
const opened = async (database: SqlDatabase): Promise<OpenedRuns> => ({
  store: new SqlRuns(database, plainCodec),
  pass: (ms) => passIn(database, ms),
});
runStoreContract("SQLite", async () => opened(await sqlite()));

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => {
  const postgres = postgresDatabases();
  runStoreContract("PostgreSQL", async () => opened(await postgres()));
});
