import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import {
  type AuditAnchor,
  type AuditSink,
  fileAnchor,
  generateSigningKey,
  MemoryAuditSink,
  openArchive,
  proveEvent,
  publicKeys,
  retainAudit,
  type SignedAuditOptions,
  signedAudit,
  signingKey,
  sinkAnchor,
  verifyAudit,
  wrongInProof,
} from "framework/audit";
import { signedCheckpoint } from "#audit/chain/checkpoint.js";
import { nextSegment } from "#audit/chain/segment.js";

const folder = mkdtempSync(join(tmpdir(), "verify-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const { privateKey, publicKey } = generateSigningKey();
const [key, keys] = [signingKey(privateKey), publicKeys(publicKey)];
const entry = { actor: "alice", action: "pay", target: "order 7" };

/** A log with a checkpoint for each event. */
async function log(
  count: number,
  options: Partial<SignedAuditOptions> = {},
  sink: AuditSink = new MemoryAuditSink(),
) {
  const signed = signedAudit(sink, { key, ...options });
  for (let n = 1; n <= count; n += 1) {
    await signed.append({ id: `e${n}`, ...entry });
    await signed.close();
  }
  return sink;
}

/** A log as an earlier release signed it. */
async function unnamed(): Promise<MemoryAuditSink> {
  const sink = new MemoryAuditSink();
  await sink.append({ id: "old", ...entry });
  const { origin: _, ...segment } = await nextSegment(sink, undefined, 1);
  const timestamp = "2026-01-01T00:00:00.000000Z";
  await sink.checkpoints.put(signedCheckpoint({ ...segment, archived: 0, timestamp, key: key.id }, [key]));
  return sink;
}

const messages = async (...of: Parameters<typeof verifyAudit>): Promise<string> =>
  (await verifyAudit(...of)).failures.map(({ message }) => message).join("\n");

describe("the name of an audit log", () => {
  test("is that of its options, in each checkpoint and proof", async () => {
    const sink = await log(2, { origin: "shop" });
    const proof = await proveEvent(sink, "e2");

    assert.equal((await verifyAudit(sink, { keys, origin: "shop" })).origin, "shop");
    assert.match(await messages(sink, { keys, origin: "bank" }), /is of the log 'shop', not of 'bank'/);
    assert.match(await messages(sink, { keys, origin: "none" }), /is of the log 'shop', not of 'none'/);
    assert.equal(proof?.checkpoint.origin, "shop");
    assert.equal(wrongInProof(proof, keys, { origin: "shop" }), undefined);
    assert.match(String(wrongInProof(proof, keys, { origin: "bank" })), /of the log 'shop', not of 'bank'/);
  });

  test("is made of its first event where none is given, so that no two logs have one name", async () => {
    const [one, other] = [await log(2), await log(2)];
    const names = await Promise.all(
      [one, other].map(async (sink) => (await verifyAudit(sink, { keys })).origin),
    );

    assert.match(String(names[0]), /^[0-9a-f]{32}$/);
    assert.notEqual(names[0], names[1]);
    assert.match(await messages(one, { keys, origin: String(names[1]) }), /is of the log/);
  });

  test("is none where an earlier release signed, and one from the next checkpoint on", async () => {
    const sink = await unnamed();
    assert.deepEqual(await messages(sink, { keys, origin: "none" }), "");
    assert.equal((await verifyAudit(sink, { keys })).origin, "none");
    assert.match(await messages(sink, { keys, origin: "shop" }), /names no log, where 'shop' is expected/);
    await log(1, { origin: "shop" }, sink);

    assert.deepEqual((await verifyAudit(sink, { keys, origin: "shop" })).failures, []);
  });

  test("never changes: another one is refused before an event is kept", async () => {
    const sink = await log(1, { origin: "shop" });

    await assert.rejects(log(1, { origin: "bank" }, sink), {
      code: "CONFIG_INVALID",
      message: /is the log 'shop'/,
    });
    assert.equal((await sink.head())?.position, 1);
    for (const origin of ["", "none", "a b", "a\0b", "x".repeat(201)])
      assert.throws(() => signedAudit(sink, { key, origin }), { code: "CONFIG_INVALID" });
  });

  test("stays where a process of an earlier release signs beside those of this one", async () => {
    const sink = await log(1, { origin: "shop" });
    await sink.append({ id: "x", ...entry });
    const text = String((await sink.checkpoints.newest())?.text);
    const newest = { checkpoint: JSON.parse(text), hash: createHash("sha256").update(text).digest("hex") };
    const { origin: _, ...segment } = await nextSegment(sink, newest, 2);
    const timestamp = "2026-01-01T00:00:00.000000Z";
    await sink.checkpoints.put(signedCheckpoint({ ...segment, archived: 0, timestamp, key: key.id }, [key]));

    const found = await verifyAudit(sink, { keys, origin: "shop" });
    assert.deepEqual([found.failures, found.origin], [[], "shop"]);
    assert.match(await messages(sink, { keys, origin: "bank" }), /checkpoint 2 is of the log 'shop'/);
  });

  test("is not made up for a log that an earlier release signed", async () => {
    const sink = await log(1, {}, await unnamed());

    assert.equal((await verifyAudit(sink, { keys })).origin, "none");
  });

  test("is one in all checkpoints, also where each is signed", async () => {
    const sink = await log(1, { origin: "shop" });
    await sink.append({ id: "x", ...entry });
    const newest = JSON.parse(String((await sink.checkpoints.newest())?.text));
    const hash = createHash("sha256")
      .update(String((await sink.checkpoints.newest())?.text))
      .digest("hex");
    const segment = await nextSegment(sink, { checkpoint: newest, hash }, 2);
    const timestamp = "2026-01-01T00:00:00.000000Z";
    await sink.checkpoints.put(
      signedCheckpoint({ ...segment, origin: "bank", archived: 0, timestamp, key: key.id }, [key]),
    );

    assert.match(
      await messages(sink, { keys }),
      /checkpoint 2 is of the log 'bank', the one before of 'shop'/,
    );
  });
});

describe("the checkpoints of an anchor", () => {
  const anchored = async (change: (lines: string[]) => string[]) => {
    const file = join(folder, `${Math.random()}.jsonl`);
    const sink = await log(5, { anchors: [fileAnchor(file)], anchor: "each" });
    assert.deepEqual((await verifyAudit(sink, { keys, anchor: fileAnchor(file) })).failures, []);
    writeFileSync(file, `${change(readFileSync(file, "utf8").trim().split("\n")).join("\n")}\n`);
    return { sink, file };
  };
  const changes: readonly (readonly [string, (lines: string[]) => string[]])[] = [
    [
      "an edited line in between",
      (lines) => lines.with(1, String(lines[1]).replace("pay", "x").replace("2026", "2016")),
    ],
    ["an edited first line", (lines) => lines.with(0, "forged")],
    ["a second line of a number", (lines) => lines.toSpliced(2, 0, JSON.stringify({ number: 2, text: "x" }))],
    ["a line in between that is no checkpoint", (lines) => lines.toSpliced(2, 0, "{}")],
    [
      "two lines whose numbers are swapped",
      (lines) => lines.map((line, at) => (at === 1 ? line.replace('"number":2', '"number":3') : line)),
    ],
  ];
  for (const [name, change] of changes)
    test(`are compared one by one: ${name} is told`, async () => {
      const { sink, file } = await anchored(change);
      const { failures } = await verifyAudit(sink, { keys, anchor: fileAnchor(file) });

      assert.ok(
        failures.some(({ kind }) => kind === "anchor"),
        JSON.stringify(failures),
      );
    });

  test("are compared also where one has a number far beyond the newest", async () => {
    const { sink, file } = await anchored((lines) => [
      JSON.stringify({ number: 5000, text: "x" }),
      // Of what is read to find the newest, the line above is no part.
      ...Array.from({ length: 200 }, () => String(lines[0])),
      ...lines,
    ]);
    const { failures } = await verifyAudit(sink, { keys, anchor: fileAnchor(file) });

    assert.deepEqual(
      failures.map(({ checkpoint }) => checkpoint),
      [5000],
    );
  });

  test("are sound behind a line that a full disk or a kill cut short", async () => {
    const file = join(folder, "torn.jsonl");
    const reports: string[] = [];
    const report = ({ code }: { readonly code: string }): void => void reports.push(code);
    const options = { anchors: [fileAnchor(file)], anchor: "each", report } as const;
    const sink = await log(1, options);
    for (const id of ["e2", "e3"]) {
      appendFileSync(file, `{"number":${id.slice(1)},"te`);
      const signed = signedAudit(sink, { key, ...options });
      await signed.append({ id, ...entry });
      await signed.close();
    }

    assert.deepEqual((await verifyAudit(sink, { keys, anchor: fileAnchor(file) })).failures, []);
    assert.deepEqual(reports, []);
    appendFileSync(file, '{"number":4,"te\n');
    assert.match(await messages(sink, { keys, anchor: fileAnchor(file) }), /checkpoint 4/);
  });

  test("are those of an archive as far as it reaches", async () => {
    const [file, to] = [join(folder, "log.jsonl"), join(folder, "archive.jsonl")];
    const anchor = fileAnchor(file);
    const sink = await log(3, { anchors: [anchor] });
    await retainAudit(sink, { key, before: "2999-01-01T00:00:00.000000Z", to });
    await log(1, { anchors: [anchor] }, sink);
    const archive = await openArchive(to);
    assert.deepEqual((await verifyAudit(archive, { keys, anchor })).failures, []);
    writeFileSync(file, readFileSync(file, "utf8").replace(/"text":"[^"]/, '"text":"x'));

    assert.match(
      await messages(archive, { keys, anchor: fileAnchor(file) }),
      /holds a checkpoint 1 that is not/,
    );
  });

  test("may be there twice, and end with a line that was not written to its end", async () => {
    const { sink, file } = await anchored((lines) => [...lines, String(lines.at(-1))]);
    appendFileSync(file, '{"number":6,"te');

    assert.deepEqual((await verifyAudit(sink, { keys, anchor: fileAnchor(file) })).failures, []);
  });

  test("are compared by their newest one where the anchor lists none", async () => {
    const { all: _, ...anchor } = sinkAnchor(new MemoryAuditSink());
    const sink = await log(2, { anchors: [anchor as AuditAnchor], anchor: "each" });

    assert.deepEqual((await verifyAudit(sink, { keys, anchor: anchor as AuditAnchor })).failures, []);
  });
});

describe("an empty audit log", () => {
  test("is sound where nothing says that it had events", async () => {
    for (const options of [
      {},
      { keys },
      { keys, anchor: sinkAnchor(new MemoryAuditSink()) },
      { chainOnly: true },
    ])
      assert.deepEqual((await verifyAudit(new MemoryAuditSink(), options)).failures, []);
  });

  test("is not where its anchor or a checkpoint knows more", async () => {
    const elsewhere = new MemoryAuditSink();
    const full = await log(2, { anchors: [sinkAnchor(elsewhere)], anchor: "each" });
    const emptied = new MemoryAuditSink();
    assert.match(await messages(emptied, { keys, anchor: sinkAnchor(elsewhere) }), /rolled back or cut/);
    Object.assign(emptied, { checkpoints: full.checkpoints });

    assert.match(await messages(emptied, { keys }), /events? 1 .*missing/);
    assert.match(
      await messages(full, { keys, anchor: sinkAnchor(new MemoryAuditSink()) }),
      /holds no checkpoint/,
    );
  });
});
