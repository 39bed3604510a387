// A command that only reads looks at stores: neither tables nor services come of it.

import { strict as assert } from "node:assert";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openStores } from "framework";
import { databaseOf } from "#store/database-of.js";
import { STORE_VERSION, versionOf } from "#store/sql/migrations.js";
import { tablesUrl } from "#store/store-tables.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";

const folder = mkdtempSync(join(tmpdir(), "looked-"));
let postgres: Promise<PostgresServer> | undefined;
after(async () => {
  rmSync(folder, { recursive: true });
  await (await postgres)?.stop();
});

/** What a look at a store of this URL comes to, with its service. */
async function looked(url: string, service?: string) {
  const stores = openStores(url, service === undefined ? {} : { service });
  try {
    await stores.look?.();
    return (await stores.runs.unfinished()).map(({ id }) => id);
  } catch (error) {
    return (error as { readonly code?: string }).code;
  } finally {
    await stores.close();
  }
}

for (const [kind, skip] of [
  ["sqlite", false],
  ["postgres", skipWithoutPostgres],
] as const)
  describe(`a look at stores of ${kind}`, { skip }, () => {
    const urlOf = async (name: string): Promise<string> => {
      if (kind === "sqlite") return `sqlite:${join(folder, `${name}.db`)}`;
      postgres ??= startPostgres();
      return `${(await postgres).url}?schema=${name}`;
    };

    test("reads the runs, and makes no service the first", async () => {
      const url = await urlOf("served");
      const stores = openStores(url);
      const place = { node: "a/a", input: 1, bus: {}, jumps: 0 };
      await stores.runs.append("r", 0, [{ kind: "begun", at: 1, axon: "a", version: "1", ...place }]);
      await stores.close();

      assert.deepEqual(await looked(url, "billing"), ["r"]);
      assert.deepEqual(await looked(url), ["r"], "without a name: 'billing' has not become the first");
    });

    test("is refused where there are no tables, or some of another version, and makes none", async () => {
      const url = await urlOf("earlier");
      assert.equal(await looked(url), kind === "sqlite" ? "STORE_UNAVAILABLE" : "STORE_VERSION");
      if (kind === "sqlite") assert.equal(existsSync(join(folder, "earlier.db")), false);
      const parsed = tablesUrl(url);
      const made = databaseOf(parsed, {});
      await made.open();
      await made.write([{ sql: `DELETE FROM ${made.tables.version}`, values: [] }]);
      const earlier = STORE_VERSION - 1;
      await made.write([
        { sql: `INSERT INTO ${made.tables.version} (version) VALUES ($1)`, values: [earlier] },
      ]);

      assert.equal(await looked(url), "STORE_VERSION");
      assert.equal(await versionOf(made), earlier);
      await made.close();
    });
  });
