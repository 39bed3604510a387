// The example where its log fails, and killed between what it recorded and what it booked.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { openStores } from "framework";
import { type AuditSink, fileAnchor, MemoryAuditSink, publicKeys, verifyAudit } from "framework/audit";
import { TestApp } from "framework/http";

import { startServer } from "../../native-tests/support/server-process.js";
import { bank } from "./app.js";
import { Book } from "./book.js";

const folder = mkdtempSync(join(tmpdir(), "ledger-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const rent = { from: "rent", to: "savings", cents: 4200, reason: "a deposit" };
const asAda = { authorization: "Bearer ada" };

const eventsIn = async (log: AuditSink) =>
  (await log.query()).map((row) => ("event" in row ? row.event : assert.fail("unreadable")));

describe("a transfer", () => {
  test("is recorded with its teller, why, and what of it", async () => {
    const log = new MemoryAuditSink();
    const book = new Book(join(folder, "booked.jsonl"));
    await using app = new TestApp(bank(openStores("memory:"), log), { Book: book });

    assert.equal((await app.post("/transfers", { headers: asAda, json: rent })).status, 200);

    const [event] = await eventsIn(log);
    assert.deepEqual(
      [event?.actor, event?.action, event?.target, event?.intent],
      ["teller:ada", "transfer.book", "account:savings", "a deposit"],
    );
    const { run_id, ...metadata } = event?.metadata ?? {};
    assert.deepEqual([typeof run_id, metadata], ["string", { from: "rent", cents: 4200 }]);
    assert.equal(book.all().length, 1);
  });

  test("that cannot be recorded is answered 503, and not booked", async () => {
    const log = new MemoryAuditSink();
    const full: AuditSink = {
      ...log,
      rows: (from) => log.rows(from),
      append: () => Promise.reject(new Error("disk full")),
    };
    const book = new Book(join(folder, "unbooked.jsonl"));
    await using app = new TestApp(bank(openStores("memory:"), full), { Book: book });
    const answer = await app.post("/transfers", { headers: asAda, json: rent });

    assert.deepEqual([answer.status, (answer.json as { code: string }).code], [503, "AUDIT_FAILED"]);
    assert.deepEqual(book.all(), []);
  });

  test("whose process is killed before it is booked is booked by the next one, and recorded once", async () => {
    const place = join(folder, "killed");
    const start = (bookMs: number) =>
      startServer("../../examples/ledger/main.ts", {
        ...{ FOLDER: place, FRAMEWORK_SERVER_PORT: "0", LEASE_MS: "300", BOOK_MS: String(bookMs) },
      });
    const first = await start(60_000);
    const stores = openStores(`sqlite:${join(place, "ledger.db")}`);
    const book = (address: string) =>
      fetch(`http://${address}/transfers`, {
        method: "POST",
        headers: { ...asAda, "content-type": "application/json" },
        body: JSON.stringify(rent),
      });
    const lost = book(first.address);
    while ((await eventsIn(stores.audit)).length === 0) await pause(5);
    await Promise.all([assert.rejects(lost), first.stop("SIGKILL")]);
    const next = await start(0);
    while ((await stores.runs.unfinished()).length > 0) await pause(20);
    assert.equal((await eventsIn(stores.audit)).length, 1);
    assert.equal(new Book(join(place, "book.jsonl")).all().length, 1);
    assert.equal((await book(next.address)).status, 200);
    await next.stop();

    const keys = publicKeys(readFileSync(join(place, "audit.pem.pub"), "utf8"));
    const anchor = fileAnchor(join(place, "anchor.jsonl"));
    const { failures, behind } = await verifyAudit(stores.audit, { keys, anchor });
    assert.deepEqual([failures, behind], [[], 0]);
    await stores.close();
  });
});
