import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { type AuditSink, type FileAuditOptions, fileAuditSink, verifyAudit } from "framework/audit";

const root = mkdtempSync(join(tmpdir(), "audit-files-"));
const opened: AuditSink[] = [];
after(async () => {
  for (const sink of opened) await sink.close();
  rmSync(root, { recursive: true, force: true });
});
let folders = 0;
const newFolder = (): string => {
  folders += 1;
  return join(root, String(folders));
};
const open = (folder: string, options?: FileAuditOptions): AuditSink => {
  const sink = fileAuditSink(folder, options);
  opened.push(sink);
  return sink;
};
const entry = (id: string) => ({ id, actor: "alice", action: "pay", target: "order 7" });
const failuresOf = async (sink: AuditSink) =>
  (await verifyAudit(sink, { chainOnly: true })).failures.map(({ kind, position }) => [kind, position]);
const files = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe("the files of an audit log", () => {
  test("begin anew at a size, carry the head over and are one chain, also after they were closed", async () => {
    const folder = newFolder();
    for (let round = 0; round < 2; round += 1) {
      const sink = open(folder, { maxBytes: 1024 });
      for (let n = 0; n < 10; n += 1) await sink.append(entry(`${round} ${n}`));
      await sink.close();
    }
    const sink = open(folder);

    assert.ok(files(folder).length >= 4, files(folder).join());
    assert.deepEqual(await failuresOf(sink), []);
    assert.equal((await sink.head())?.position, 20);
  });

  test("begin anew each day", async () => {
    const folder = newFolder();
    const clock = { now: Date.parse("2026-01-31T23:59:59Z") * 1000 };
    const sink = open(folder, { daily: true, now: () => clock.now });
    await sink.append(entry("a"));
    clock.now += 2_000_000;
    await sink.append(entry("b"));
    await sink.append(entry("c"));

    assert.equal(files(folder).length, 2);
    assert.deepEqual(await failuresOf(sink), []);
  });

  // AU2: what a crash leaves is cut.
  test("are cut behind the last whole line when they are opened: what follows was never acknowledged", async () => {
    const folder = newFolder();
    const first = open(folder);
    await first.append(entry("a"));
    await first.close();
    appendFileSync(join(folder, "audit-000001.jsonl"), `{"action":"${"pa".repeat(1000)}`);
    const sink = open(folder);
    assert.deepEqual(await failuresOf(sink), []);
    await sink.append(entry("b"));

    assert.match(readFileSync(join(folder, "audit-000001.jsonl"), "utf8"), /"id":"b".*\n$/);
    assert.deepEqual(await failuresOf(sink), []);
    assert.equal((await sink.head())?.position, 2);
  });

  // AU3: a failure assumes nothing.
  test("are read anew after a write that failed", async () => {
    const folder = newFolder();
    const sink = open(folder);
    await sink.append(entry("a"));
    rmSync(join(folder, "writer.lock"));
    await assert.rejects(sink.append(entry("b")), { code: "AUDIT_LOCKED" });
    const { position } = await sink.append(entry("b"));

    assert.equal(position, 2);
    assert.deepEqual(await failuresOf(sink), []);
  });

  test("tell each change of a line or of a head", async () => {
    const folder = newFolder();
    const sink = open(folder, { maxBytes: 1024 });
    for (let n = 0; n < 10; n += 1) await sink.append(entry(String(n)));
    await sink.close();
    const file = join(folder, "audit-000002.jsonl");
    const text = readFileSync(file, "utf8");
    const lines = text.split("\n");
    const { first } = JSON.parse(lines[0] as string);
    const changed: readonly (readonly [string, string, number])[] = [
      ["edited", text.replace("alice", "mallory"), first],
      ["unreadable", text.replace('"alice"', '"alice" '), first],
      ["unreadable", lines.toSpliced(0, 1).join("\n"), 0],
      ["inserted", text.replace(`"first":${first}`, `"first":${first - 1}`), first - 1],
      ["unreadable", text.replace(/"prev_hash":"./, '"prev_hash":"x'), first],
      ["unreadable", lines.toSpliced(1, 1).join("\n"), first],
      ["broken-link", lines.toSpliced(2, 1).join("\n"), first + 1],
    ];
    for (const [kind, forged, position] of changed) {
      writeFileSync(file, forged);
      const found = await failuresOf(open(folder));
      assert.ok(
        found.some(([k, p]) => k === kind && (p === position || kind === "unreadable")),
        `${kind} at ${position}: ${JSON.stringify(found)}`,
      );
    }
    rmSync(file);
    assert.ok((await failuresOf(open(folder))).some(([kind]) => kind === "removed"));
  });

  test("are not written on where their end was changed", async () => {
    const folder = newFolder();
    const sink = open(folder);
    await sink.append(entry("a"));
    await sink.close();
    appendFileSync(join(folder, "audit-000001.jsonl"), "{}\n");

    await assert.rejects(open(folder).append(entry("b")), { code: "AUDIT_CHAIN_BROKEN" });
  });
});

describe("the writer of an audit log in files", () => {
  test("is one: a second one is refused, in this process and in another", async () => {
    const folder = newFolder();
    const sink = open(folder);
    await sink.append(entry("a"));
    await assert.rejects(open(folder).append(entry("b")), { code: "AUDIT_LOCKED" });
    assert.equal((await open(folder).head())?.position, 1, "reading needs no lock");
    await sink.close();

    assert.equal((await open(folder).append(entry("b"))).position, 2);
  });

  test("takes over the lock of a process that ended, of another boot, or whose pid another one has", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    const folder = newFolder();
    const held = open(folder);
    await held.append(entry("a"));
    const lock = join(folder, "writer.lock");
    const own = JSON.parse(readFileSync(lock, "utf8"));
    await held.close();
    for (const [n, stale] of [{ pid }, { boot: "another" }, { start: "1" }].entries()) {
      writeFileSync(lock, JSON.stringify({ ...own, ...stale }));
      const sink = open(folder);
      assert.equal((await sink.append(entry(`b${n}`))).position, n + 2);
      await sink.close();
    }
    for (const [what, text] of [
      ["another container", JSON.stringify({ ...own, namespace: "another" })],
      ["not that of a lock", "?"],
    ] as const) {
      writeFileSync(lock, text);
      await assert.rejects(open(folder).append(entry("c")), {
        code: "AUDIT_LOCKED",
        message: new RegExp(what),
      });
    }
  });
});
