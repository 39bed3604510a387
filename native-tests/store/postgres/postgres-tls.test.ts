import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { PostgresDatabase } from "#store/postgres/postgres-database.js";
import type { SqlDatabase } from "#store/sql/sql-database.js";
import { storeUrl } from "#store/sql/store-url.js";
import { tablesOf } from "#store/sql/tables.js";
import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { issue } from "../../support/issued-certificate.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";

describe("a PostgreSQL server behind TLS", { skip: skipWithoutPostgres }, () => {
  const files = certificateFolder();
  const { authority, own } = localCertificate({ names: ["localhost"] });
  const ca = files.put("ca.crt", authority.cert);
  const otherCa = files.put("other.crt", issue({ subject: "Other Authority" }).cert);
  let server: PostgresServer;
  const opened: SqlDatabase[] = [];
  before(async () => {
    server = await startPostgres(["fsync=off"], own);
  });
  after(async () => {
    for (const database of opened) await database.close();
    await server.stop();
  });

  /** Whether the connection that answers is encrypted. */
  async function isEncrypted(query: string, host = "localhost"): Promise<unknown> {
    const url = `${server.url.replace("127.0.0.1", host)}?${query}`;
    const parsed = storeUrl(url);
    assert.ok(parsed.kind === "postgres");
    const { schema = "framework" } = parsed;
    const database = new PostgresDatabase({ ...parsed, schema, tables: tablesOf({ schema }) });
    opened.push(database);
    const [row] = await database.read("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", []);
    return row?.["ssl"];
  }
  const refused = (message: RegExp) => ({ code: "STORE_UNAVAILABLE", message });

  test("is verified by its authority and its name", async () => {
    assert.equal(await isEncrypted(`sslmode=verify-full&sslrootcert=${ca}`), true);
  });

  test("is refused where its authority is unknown", async () => {
    await assert.rejects(
      isEncrypted(`sslmode=verify-full&sslrootcert=${otherCa}`),
      refused(/unable to verify the first certificate/),
    );
    await assert.rejects(
      isEncrypted("sslmode=verify-full"),
      refused(/unable to verify the first certificate/),
    );
  });

  test("is refused under a name or an address that is not in its certificate", async () => {
    await assert.rejects(
      isEncrypted(`sslmode=verify-full&sslrootcert=${ca}`, "127.0.0.1"),
      refused(/does not match certificate's altnames: IP: 127\.0\.0\.1/),
    );
  });

  test("is not verified with sslmode=no-verify, and not encrypted with disable", async () => {
    assert.equal(await isEncrypted("sslmode=no-verify", "127.0.0.1"), true);
    assert.equal(await isEncrypted("sslmode=disable"), false);
  });

  test("is reached through its unix socket", async () => {
    assert.equal(await isEncrypted(`host=${server.folder}`, "db.example"), false);
  });
});

describe("a PostgreSQL server without TLS", { skip: skipWithoutPostgres }, () => {
  test("is refused where TLS is asked for", async () => {
    const server = await startPostgres();
    try {
      const parsed = storeUrl(`${server.url}?sslmode=no-verify`);
      assert.ok(parsed.kind === "postgres");
      const database = new PostgresDatabase({ ...parsed, schema: "s", tables: tablesOf({ schema: "s" }) });

      await assert.rejects(database.open(), {
        code: "STORE_UNAVAILABLE",
        message: /does not support SSL connections/,
      });
    } finally {
      await server.stop();
    }
  });
});
