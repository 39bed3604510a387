import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Sensitive, Type } from "framework";
import { MemoryAuditSink, MemorySubjectKeys, openedEvent, sealedAudit, verifyAudit } from "framework/audit";
import { openAudit } from "framework/store";

const metadata = Type.Object({
  email: Sensitive(Type.String()),
  cards: Type.Array(Type.Object({ number: Sensitive(Type.String()), brand: Type.String() })),
});
const entry = {
  ...{ id: "e1", actor: "alice", action: "pay", target: "bob" },
  metadata: { email: "alice@example.org", cards: [{ number: "4111", brand: "visa" }] },
};

describe("a sealed audit log", () => {
  test("keeps ciphertext that is found by the plain text, and opened with the key", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sealed-"));
    for (const sink of [new MemoryAuditSink(), openAudit(`sqlite:${folder}/a.db`)]) {
      const keys = new MemorySubjectKeys();
      const log = sealedAudit(sink, { keys, actor: true, target: true, metadata });
      const { event } = await log.append(entry);
      await log.append({ ...entry, id: "e2", actor: "carol" });

      assert.doesNotMatch(JSON.stringify(event), /alice|bob|4111/);
      assert.match(JSON.stringify(event), /visa/);
      assert.deepEqual((await log.query({ actor: "alice" })).length, 1);
      assert.deepEqual((await log.query({ target: "bob" })).length, 2);
      const pseudonym = event.actor.split(":").slice(0, 3).join(":");
      assert.deepEqual((await log.query({ actor: pseudonym })).length, 1);
      const { actor, target, metadata: opened } = await openedEvent(keys, event);
      assert.deepEqual({ ...entry, actor, target, metadata: opened }, entry);
      assert.deepEqual((await verifyAudit(sink, { chainOnly: true })).failures, []);
      await sink.close();
    }
    rmSync(folder, { recursive: true });
  });

  test("is the same chain after a key was deleted, and tells nothing of that person any more", async () => {
    const keys = new MemorySubjectKeys();
    const sink = new MemoryAuditSink();
    const log = sealedAudit(sink, { keys, actor: true, metadata });
    const { event } = await log.append(entry);
    assert.equal(keys.delete("alice"), true);

    assert.deepEqual(await openedEvent(keys, event), event);
    assert.deepEqual((await verifyAudit(sink, { chainOnly: true })).failures, []);
  });

  test("seals an entry that is appended again to the same texts", async () => {
    const log = sealedAudit(new MemoryAuditSink(), { keys: new MemorySubjectKeys(), actor: true, metadata });

    assert.deepEqual(await log.append(entry), await log.append(entry));
  });

  test("opens no text that was moved to another event", async () => {
    const keys = new MemorySubjectKeys();
    const log = sealedAudit(new MemoryAuditSink(), { keys, actor: true });
    const { event } = await log.append(entry);
    const moved = { ...event, id: "e9" };

    assert.deepEqual(await openedEvent(keys, moved), moved);
  });

  test("seals what is too long with the hash of all of it, and shows none of it", async () => {
    const keys = new MemorySubjectKeys();
    const log = sealedAudit(new MemoryAuditSink(), { keys, actor: true, metadata });
    const actor = "alice".repeat(10_000);
    const many = { ...entry, metadata: { cards: Array.from({ length: 2_000 }, () => ({ number: "4111" })) } };
    const large = { ...entry, metadata: { email: "a@example.org".repeat(10_000) } };
    const sealed = [{ ...entry, actor }, many, large].map((each, n) => log.append({ ...each, id: `e${n}` }));
    for (const [n, { event }] of (await Promise.all(sealed)).entries()) {
      assert.doesNotMatch(JSON.stringify(event), /alicealice|4111|a@example|sha256/);
      const opened = await openedEvent(keys, event);
      const { metadata } = opened;
      assert.match(
        n === 0 ? opened.actor : String(metadata["(too large)"]),
        /… \[\d+ bytes, sha256 \w{64}\]$/,
      );
    }
    assert.equal((await log.query({ actor })).length, 1);
    const masking = sealedAudit(new MemoryAuditSink(), { metadata });
    const masked = await masking.append(large);
    assert.deepEqual(masked.event.metadata, { "(too large)": "[redacted]" });
  });

  test("masks marked metadata where there are no keys, and keeps texts that look sealed as other ones", async () => {
    const log = sealedAudit(new MemoryAuditSink(), { metadata });
    const { event } = await log.append(entry);

    assert.equal(event.actor, "alice");
    assert.deepEqual(event.metadata, {
      email: "[redacted]",
      cards: [{ number: "[redacted]", brand: "visa" }],
    });
    for (const actor of ["sealed:1:x", "\\sealed:1:x"]) {
      const forged = await log.append({ ...entry, id: actor, actor });
      assert.equal(forged.event.actor, `\\${actor}`);
      assert.deepEqual(await log.query({ actor: forged.event.actor }), [forged]);
    }
  });
});
