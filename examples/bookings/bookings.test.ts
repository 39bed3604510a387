// The example killed in the middle of a payment, on SQLite and on PostgreSQL.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { openStores } from "framework";
import { TestApp } from "framework/http";

import {
  type PostgresServer,
  skipWithoutPostgres,
  startPostgres,
} from "../../native-tests/support/postgres-server.js";
import { startServer } from "../../native-tests/support/server-process.js";
import { ferries } from "./app.js";
import { Payments } from "./payments.js";

const folder = mkdtempSync(join(tmpdir(), "bookings-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ada = { passenger: "Ada", cabin: 7, cents: 4200 };

/** Books, kills the process while the provider has charged and not answered, and starts the next one. */
async function killedWhilePaying(stores: string, name: string) {
  const file = join(folder, `${name}.jsonl`);
  const start = (paymentMs: number) =>
    startServer("../../examples/bookings/main.ts", {
      ...{
        STORES: stores,
        PAYMENTS: file,
        FRAMEWORK_SERVER_PORT: "0",
        LEASE_MS: "300",
        PAYMENT_MS: String(paymentMs),
      },
    });
  const payments = new Payments(file);
  const first = await start(60_000);
  const lost = fetch(`http://${first.address}/bookings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ada),
  });
  while (payments.all().length === 0) await pause(5);
  await Promise.all([assert.rejects(lost), first.stop("SIGKILL")]);
  const next = await start(0);
  const kept = openStores(stores);
  while ((await kept.runs.unfinished()).length > 0) await pause(20);
  await kept.close();
  await next.stop();
  return payments.all();
}

describe("a booking whose process is killed while it pays", () => {
  test("is brought to its end by the next process, and paid once: SQLite", async () => {
    const payments = await killedWhilePaying(`sqlite:${join(folder, "app.db")}`, "sqlite");

    assert.deepEqual(
      payments.map(({ kind, cents }) => [kind, cents]),
      [["charge", 4200]],
    );
  });

  describe("on PostgreSQL", { skip: skipWithoutPostgres }, () => {
    let server: PostgresServer;
    before(async () => {
      server = await startPostgres();
    });
    after(() => server.stop());

    test("is brought to its end by the next process, and paid once", async () => {
      const payments = await killedWhilePaying(server.url, "postgres");

      assert.deepEqual(
        payments.map(({ kind, cents }) => [kind, cents]),
        [["charge", 4200]],
      );
    });
  });
});

test("a booking of a cabin that is not there gives the money back", async () => {
  const payments = new Payments(join(folder, "refunds.jsonl"));
  await using app = new TestApp(ferries("memory:"), { Payments: payments });
  const response = await app.post("/bookings", { json: { ...ada, cabin: 99 } });

  assert.equal(response.status, 409);
  assert.deepEqual(
    payments.all().map(({ kind }) => kind),
    ["charge", "refund"],
  );
});
