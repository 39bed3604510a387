import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  type AuditSink,
  fileAuditSink,
  generateSigningKey,
  MemoryAuditSink,
  openArchive,
  proveEvent,
  publicKeys,
  retainAudit,
  signedAudit,
  signingKey,
  verifyAudit,
  wrongInProof,
} from "framework/audit";

const folder = mkdtempSync(join(tmpdir(), "retention-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey, publicKey } = generateSigningKey();
const [key, keys] = [signingKey(privateKey), publicKeys(publicKey)];
const FUTURE = "2999-01-01T00:00:00.000000Z";
let made = 0;
const file = (): string => {
  made += 1;
  return join(folder, `${made}`);
};

/** A log with so many segments of three events. */
async function log(sink: AuditSink, segments: number): Promise<AuditSink> {
  const signed = signedAudit(sink, { key, anchor: "each" });
  for (let n = 0; n < segments; n += 1)
    await Promise.all(
      ["a", "b", "c"].map((id) => signed.append({ id: `${id}${n}`, actor: "a", action: "b", target: "c" })),
    );
  return sink;
}

for (const [name, open] of [
  ["memory", () => new MemoryAuditSink()],
  ["files", () => fileAuditSink(file(), { maxBytes: 1024 })],
] as const)
  describe(`retention of an audit log in ${name}`, () => {
    test("moves closed segments to an archive; both verify, and events of both are proved", async () => {
      const sink = await log(open(), 4);
      const to = file();
      assert.deepEqual(await retainAudit(sink, { key, before: FUTURE, to }), { archived: 9, through: 9 });
      const archive = await openArchive(to);
      const [left, archived] = [await verifyAudit(sink, { keys }), await verifyAudit(archive, { keys })];

      assert.deepEqual([left.failures, archived.failures], [[], []]);
      assert.deepEqual([left.events, archived.events], [3, 9]);
      assert.deepEqual(left.notes, ["events up to 9 are archived"]);
      assert.equal(wrongInProof(await proveEvent(archive, "b1"), keys), undefined);
      assert.equal(wrongInProof(await proveEvent(sink, "b3"), keys), undefined);
      assert.equal(await proveEvent(sink, "b1"), undefined);
      await log(sink, 0);
      await sink.append({ actor: "a", action: "b", target: "c" });
      assert.deepEqual((await verifyAudit(sink, { keys })).failures, []);
      await sink.close();
    });

    test("goes on where it stopped, and leaves the newest event", async () => {
      const sink = await log(open(), 3);
      const remove = sink.remove;
      const stopped = {
        ...sink,
        rows: (from?: number) => sink.rows(from),
        remove: async () => Promise.reject(new Error("stopped")),
      };
      await assert.rejects(retainAudit(stopped, { key, before: FUTURE, to: file() }), /stopped/);
      assert.deepEqual((await verifyAudit(sink, { keys })).failures, []);
      await remove(4, 4);
      assert.deepEqual((await verifyAudit(sink, { keys })).failures, [], "a part of them is deleted");
      assert.deepEqual(await retainAudit(sink, { key, before: FUTURE, to: file() }), {
        archived: 0,
        through: 6,
      });

      assert.deepEqual((await verifyAudit(sink, { keys })).events, 3);
      await sink.close();
    });
  });

describe("the rows that retention left", () => {
  test("may not lack more than what is signed to be archived", async () => {
    const sink = await log(new MemoryAuditSink(), 4);
    await sink.remove(3, 3);
    assert.deepEqual(
      (await verifyAudit(sink, { keys })).failures.map(({ kind, position }) => [kind, position]),
      [["removed", 1]],
    );
    await retainAudit(await log(new MemoryAuditSink(), 2), {
      key,
      before: "2000-01-01T00:00:00.000000Z",
      to: file(),
    });
    const retained = await log(new MemoryAuditSink(), 4);
    await retainAudit(retained, { key, before: FUTURE, to: file() });
    await log(retained, 0);
    const signed = signedAudit(retained, { key, anchor: "each" });
    await signed.append({ actor: "a", action: "b", target: "c" });
    await retained.remove(10, 1);

    assert.deepEqual(
      (await verifyAudit(retained, { keys })).failures.map(({ kind }) => kind),
      ["removed"],
    );
  });
});

describe("an archive", () => {
  test("is found out where it was changed", async () => {
    const sink = await log(new MemoryAuditSink(), 3);
    const to = file();
    await retainAudit(sink, { key, before: FUTURE, to });
    const text = readFileSync(to, "utf8");
    const lines = text.split("\n");
    const changed: readonly (readonly [string, string])[] = [
      ["edited", text.replace('"actor":"a"', '"actor":"m"')],
      ["removed", lines.toSpliced(2, 1).join("\n")],
      ["cut", lines.toSpliced(5, 3).join("\n")],
      ["swapped", [lines[0], lines[2], lines[1], ...lines.slice(3)].join("\n")],
      ["checkpoint edited", text.replace('{\\"archived\\":0', '{\\"archived\\":1')],
    ];
    for (const [name, forged] of changed) {
      assert.notEqual(forged, text, name);
      writeFileSync(to, forged);
      assert.ok((await verifyAudit(await openArchive(to), { keys })).failureCount > 0, name);
    }
    writeFileSync(to, "{}\n");
    await assert.rejects(openArchive(to), { code: "AUDIT_UNAVAILABLE" });
  });

  test("is written over no file", async () => {
    const sink = await log(new MemoryAuditSink(), 3);
    const to = file();
    writeFileSync(to, "kept");

    await assert.rejects(retainAudit(sink, { key, before: FUTURE, to }), { code: "AUDIT_UNAVAILABLE" });
    assert.equal(readFileSync(to, "utf8"), "kept");
    assert.equal((await verifyAudit(sink, { keys })).events, 9);
  });
});
