// docs/deploying.md, "A new release": tables first; processes of before live on, and none begins again.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";

import { STORE_VERSION } from "#store/sql/migrations.js";
import { until } from "../../support/patience.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { runCommand } from "../../support/run-command.js";
import { type ServerProcess, startServer } from "../../support/server-process.js";

const OLDER = STORE_VERSION - 1;
const folder = mkdtempSync(join(tmpdir(), "releases-"));
const servers: ServerProcess[] = [];
after(() => {
  for (const { process } of servers) process.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

async function begun(STORE: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer("two-releases-server.ts", { STORE, ...env });
  servers.push(server);
  return server;
}

interface Answer {
  readonly amount: number;
  readonly by: number;
  readonly tables: number;
}

async function order({ address }: ServerProcess, key: string = randomUUID()): Promise<Answer> {
  const response = await fetch(`http://${address}/orders`, {
    ...{ method: "POST", body: JSON.stringify({ amount: 7 }) },
    headers: { "content-type": "application/json", "idempotency-key": `"${key}"` },
  });
  const body = await response.text();
  assert.equal(response.status, 200, body);
  return JSON.parse(body) as Answer;
}

/** One order after the other, until it is ended. */
function load(server: ServerProcess) {
  const seen = { orders: 0, isOver: false };
  const running = (async () => {
    while (!seen.isOver) {
      await order(server);
      seen.orders += 1;
    }
  })();
  // What fails is seen where it is ended.
  running.catch(() => {});
  const end = (): Promise<void> => {
    seen.isOver = true;
    return running;
  };
  return { seen, end };
}

/** Ends the connections to a database as a restart of it does. */
async function disconnect(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'postgres'",
  );
  await client.end();
}

function migratesBeside(place: () => { readonly url: string; readonly reconnects?: () => Promise<void> }) {
  test("serves with its tables migrated beside it; the new one has its keys, and it does not begin again", async () => {
    const { url, reconnects } = place();
    const old = await begun(url, { RELEASE: "older", AUTO_MIGRATE: "true" });
    await order(old, "of-the-old-one");
    const orders = load(old);
    await until("orders flow", () => orders.seen.orders >= 5);

    // A new process that may not migrate is refused until the tables are.
    await assert.rejects(begun(url), (error: Error) => {
      assert.match(error.message, /STORE_VERSION/);
      assert.match(error.message, new RegExp(`of version ${OLDER}, this release needs ${STORE_VERSION}`));
      return true;
    });
    const { status, stdout } = await runCommand(["store", "migrate", url]);
    assert.equal(status, 0);
    assert.match(stdout, new RegExp(`migrated from version ${OLDER} to version ${STORE_VERSION}\n$`));
    const next = await begun(url);
    const { orders: count } = orders.seen;
    await until("orders flow after it", () => orders.seen.orders >= count + 5);
    await orders.end();

    const mine = await order(old, "of-both");
    assert.deepEqual(mine, { amount: 7, by: old.process.pid, tables: OLDER });
    assert.deepEqual(await order(next, "of-both"), mine);
    assert.equal((await order(next, "of-the-old-one")).by, old.process.pid);
    const its = await order(next, "of-the-new-one");
    assert.deepEqual(its, { amount: 7, by: next.process.pid, tables: STORE_VERSION });
    assert.deepEqual(await order(old, "of-the-new-one"), its);

    await reconnects?.();
    const isServed = (): Promise<boolean> =>
      order(old).then(
        () => true,
        () => false,
      );
    await until("the old one serves with new connections", isServed);

    assert.equal(await old.stop(), 0);
    await assert.rejects(begun(url, { RELEASE: "older", AUTO_MIGRATE: "true" }), (error: Error) => {
      assert.match(error.message, /STORE_VERSION/);
      assert.match(error.message, new RegExp(`of version ${STORE_VERSION}, this release knows ${OLDER}`));
      return true;
    });
    assert.equal((await order(next, "of-both")).by, old.process.pid);
    assert.equal(await next.stop(), 0);
  });
}

describe("a process of an older release", () => {
  describe("on SQLite", () => {
    migratesBeside(() => ({ url: `sqlite:${join(folder, "shop.db")}` }));
  });

  describe("on PostgreSQL", { skip: skipWithoutPostgres }, () => {
    let server: PostgresServer | undefined;
    before(async () => {
      server = await startPostgres();
    });
    after(() => server?.stop());
    const url = (): string => server?.url ?? "";

    migratesBeside(() => ({ url: url(), reconnects: () => disconnect(url()) }));
  });
});
