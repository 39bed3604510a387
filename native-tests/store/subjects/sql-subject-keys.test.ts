import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { Type } from "@sinclair/typebox";
import { openedEvent } from "framework/audit";
import { verifyAudit } from "#audit/chain/verify.js";
import { sealedAudit } from "#audit/sealed-audit.js";
import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { eraseSubject } from "#compliance/erasure/erase-subject.js";
import { plainCodec } from "#core/ports/codec.js";
import { Sensitive } from "#core/secrets/sensitive.js";
import { openSubjectKeys } from "#store/open-subject-keys.js";
import { SqlSubjectKeys } from "#store/subjects/sql-subject-keys.js";
import { skipWithoutPostgres } from "../../support/postgres-server.js";
import { type OpenDatabase, postgresDatabases, sqliteDatabases } from "../../support/sql-stores.js";

const key = randomBytes(32);
const hook = (master = key) => new EncryptionHook({ keys: () => ({ current: "a", keys: { a: master } }) });
const entry = { actor: "ann", action: "visit", target: "ward 3", metadata: { finding: "measles" } };

function subjectKeys(name: string, open: OpenDatabase): void {
  describe(`keys of persons in ${name}`, () => {
    test("seal events that no longer open once the subject is erased, while the log stays sound", async () => {
      const sink = new MemoryAuditSink();
      const keys = new SqlSubjectKeys(await open(), hook(), "elsewhere");
      const metadata = Type.Object({ finding: Sensitive(Type.String()) });
      const audit = sealedAudit(sink, { keys, actor: true, metadata });
      await audit.append({ id: "1", ...entry });
      await audit.append({ id: "2", ...entry, actor: "bob" });
      const shown = async () =>
        Promise.all(
          (await sink.query()).flatMap((row) => ("event" in row ? [openedEvent(keys, row.event)] : [])),
        );
      assert.deepEqual((await shown()).map(({ actor }) => actor).sort(), ["ann", "bob"]);

      const erased = await eraseSubject({ subject: "ann", reason: "asked" }, { sinks: [keys.erasure] });

      assert.deepEqual(erased.sinks, [
        { sink: "audit keys", erased: 1, state: "done", left: [], leftCount: 0 },
      ]);
      const [one, other] = (await shown()).sort((a, b) => a.id.localeCompare(b.id));
      assert.match(one?.actor ?? "", /^sealed:1:/);
      assert.match(String(one?.metadata["finding"]), /^sealed:1:/);
      assert.equal(other?.metadata["finding"], "measles");
      assert.equal((await verifyAudit(sink, { chainOnly: true })).isSound, true);
    });

    test("are the same for each process, and encrypted in their rows", async () => {
      const database = await open();
      const [one, other] = [
        new SqlSubjectKeys(database, hook(), "x"),
        new SqlSubjectKeys(database, hook(), "x"),
      ];
      const [first, second] = await Promise.all([one.pseudonym("ann"), other.pseudonym("ann")]);
      const [a, b] = await Promise.all([one.key(first), other.key(second)]);
      const rows = JSON.stringify(await database.read(`SELECT * FROM ${database.tables.subject_key}`, []));

      assert.equal(first, second);
      assert.deepEqual(a, b);
      assert.doesNotMatch(rows, new RegExp(`ann|${Buffer.from(a).toString("base64url")}`));
    });

    test("do not open under another master key, nor in the row of another person", async () => {
      const database = await open();
      const keys = new SqlSubjectKeys(database, hook(), "x");
      const [ann, bob] = [await keys.pseudonym("ann"), await keys.pseudonym("bob")];
      await keys.key(ann);
      await keys.key(bob);

      await assert.rejects(async () => new SqlSubjectKeys(database, hook(randomBytes(32)), "x").find(ann), {
        ...{ code: "ENCRYPTED_TEXT_INVALID", message: new RegExp(`table subject_key, secret of "${ann}"`) },
      });
      const { subject_key: t } = database.tables;
      const sql = `UPDATE ${t} SET secret = (SELECT secret FROM ${t} WHERE pseudonym = $1) WHERE pseudonym = $2`;
      await database.write([{ sql, values: [ann, bob] }]);
      await assert.rejects(async () => keys.find(bob), { code: "ENCRYPTED_TEXT_INVALID" });
    });
  });
}

subjectKeys("SQLite", sqliteDatabases());

describe("PostgreSQL", { skip: skipWithoutPostgres }, () => subjectKeys("PostgreSQL", postgresDatabases()));

describe("openSubjectKeys", () => {
  test("refuses what would lose the keys, keep them plain, or beside the events", () => {
    assert.throws(() => openSubjectKeys("memory:", { codec: hook() }), {
      ...{ code: "CONFIG_INVALID", message: /memory: loses the keys/ },
    });
    assert.throws(() => openSubjectKeys("sqlite:keys.db", { codec: plainCodec }), {
      ...{ code: "CONFIG_INVALID", message: /codec must encrypt/ },
    });
    const keys = openSubjectKeys("sqlite:app.db", { codec: hook() });
    const sink = Object.assign(new MemoryAuditSink(), { shown: "sqlite:app.db" });
    assert.throws(() => sealedAudit(sink, { keys, actor: true }), {
      ...{ code: "CONFIG_INVALID", message: /in the database of the events, sqlite:app\.db/ },
    });
  });
});
