// Contract of audit log sinks.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";

import { type AuditEntry, type AuditEvent, NO_HASH, type PlacedAuditEvent } from "#core/ports/audit-event.js";
import type { AuditRow, AuditSink } from "#core/ports/audit-sink.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";

/** A minimal entry. */
const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ actor: "alice", action: "order.cancel", target: "order 7" },
  ...more,
});

const hashOf = ({ hash: _, ...event }: AuditEvent): string =>
  createHash("sha256")
    .update(canonicalJson(event as unknown as Json))
    .digest("hex");

const placed = (row: AuditRow | undefined): PlacedAuditEvent => {
  assert.ok(row !== undefined && "event" in row, JSON.stringify(row));
  return row;
};

async function rowsOf(sink: AuditSink, from?: number): Promise<readonly PlacedAuditEvent[]> {
  const rows: PlacedAuditEvent[] = [];
  for await (const row of sink.rows(from)) rows.push(placed(row));
  return rows;
}

/** Asserts that the rows of a sink are one chain from its beginning. */
async function assertChain(sink: AuditSink, length: number): Promise<void> {
  const rows = await rowsOf(sink);
  assert.equal(rows.length, length);
  let previous = NO_HASH;
  for (const [at, { position, event }] of rows.entries()) {
    assert.equal(position, at + 1);
    assert.equal(event.prev_hash, previous);
    assert.equal(event.hash, hashOf(event));
    previous = event.hash;
  }
}

/** Tests of an AuditSink. `open` is called once a test and returns an empty sink. */
export function auditSinkContract(name: string, open: () => Promise<AuditSink> | AuditSink): void {
  describe(`an audit log in ${name}`, () => {
    test("links each event to the one before, and keeps what was hashed", async () => {
      const sink = await open();
      const metadata = {
        z: [1, 2.5, -0, 1e21, null, true],
        "": "",
        é: "\u2028\u0001",
        __proto__x: { "1": 2, a: 1 },
      };
      const first = await sink.append(entry({ metadata, intent: "a mistake\n" }));
      const second = await sink.append(entry({ timestamp: "2026-01-31T12:00:00.000001Z" }));

      assert.deepEqual([first.position, second.position], [1, 2]);
      assert.equal(second.event.timestamp, "2026-01-31T12:00:00.000001Z");
      assert.match(first.event.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.deepEqual(await rowsOf(sink), [first, second]);
      await assertChain(sink, 2);
      assert.ok(Object.is((first.event.metadata["z"] as Json[])[2], 0), "RFC 8785 has no -0");
      assert.equal("intent" in second.event, false);
      assert.deepEqual(second.event.metadata, {});
    });

    test("keeps members with the names of prototypes", async () => {
      const sink = await open();
      const metadata = JSON.parse('{"__proto__":{"polluted":1},"constructor":"c","toString":2}');
      const { event } = await sink.append(entry({ metadata }));

      assert.equal(
        canonicalJson(event.metadata as Json),
        '{"__proto__":{"polluted":1},"constructor":"c","toString":2}',
      );
      assert.equal(hashOf(placed(await sink.find(event.id)).event), event.hash);
    });

    test("makes one chain of appends at once", async () => {
      const sink = await open();
      const made = await Promise.all(
        Array.from({ length: 300 }, (_, n) => sink.append(entry({ target: `order ${n}` }))),
      );

      await assertChain(sink, 300);
      assert.deepEqual(
        await rowsOf(sink),
        made.toSorted((a, b) => a.position - b.position),
      );
    });

    test("keeps an entry once, however often it is appended", async () => {
      const sink = await open();
      const once = await sink.append(entry({ id: "a", metadata: { attempt: 1 } }));
      const again = await Promise.all(
        ["a", "b", "a", "b"].map((id) => sink.append(entry({ id, metadata: { attempt: 2 } }))),
      );

      assert.deepEqual([again[0], again[2]], [once, once]);
      assert.deepEqual(again[1], again[3]);
      await assertChain(sink, 2);
    });

    test("refuses an id that says something else, and nothing beside it", async () => {
      const sink = await open();
      await sink.append(entry({ id: "a" }));
      const [same, other, conflict] = await Promise.allSettled([
        sink.append(entry({ id: "a", actor: "mallory" })),
        sink.append(entry({ id: "b" })),
        sink.append(entry({ id: "b", intent: "another" })),
      ]);

      assert.equal(same?.status === "rejected" && same.reason.code, "AUDIT_ID_TAKEN");
      assert.equal(other?.status, "fulfilled");
      assert.equal(conflict?.status === "rejected" && conflict.reason.code, "AUDIT_ID_TAKEN");
      await assertChain(sink, 2);
    });

    test("makes every text that a client may choose fit, and finds its event by it", async () => {
      const sink = await open();
      const texts = [
        "",
        "a\0b",
        "\ud800",
        "\udc00x",
        "a\\u0000b",
        "\\",
        "x".repeat(70_000),
        "é\0".repeat(9_000),
      ];
      for (const text of texts) {
        const metadata = { text, [text]: [1 / 0] };
        const all = { id: text, actor: text, action: text, target: text, intent: text, metadata };
        const kept = await sink.append(all);

        assert.deepEqual(await sink.append(all), kept, "once");
        const { id, actor, action, target } = kept.event;
        // A kept escape is found as it is shown.
        if (text !== "a\\u0000b")
          for (const found of [[await sink.find(text)], await sink.query({ actor: text, action: text })])
            assert.deepEqual(found, [kept]);
        assert.deepEqual(await sink.find(id), kept);
        assert.deepEqual(await sink.query({ actor, action, target }), [kept]);
      }
      await assertChain(sink, texts.length);
    });

    test("keeps the beginning of metadata that are too large or too deep, and the hash of all", async () => {
      const sink = await open();
      const deep = JSON.parse(`${'[{"a":'.repeat(60)}1${"}]".repeat(60)}`) as Json;
      const text = 'é"'.repeat(40_000);
      for (const metadata of [{ deep }, { text }]) {
        const { event } = await sink.append(entry({ metadata }));
        const whole = canonicalJson(metadata);
        const [[name, kept]] = Object.entries(event.metadata) as [[string, string]];
        const [, beginning, hash] = /^(.*)… \[\d+ bytes, sha256 (\w+)\]$/su.exec(kept) ?? [];

        assert.equal(name, "(too large)");
        assert.ok(beginning !== "" && whole.startsWith(beginning as string));
        assert.equal(hash, createHash("sha256").update(whole).digest("hex"));
      }
      await assertChain(sink, 2);
    });

    test("refuses what it could not keep as it is", async () => {
      const sink = await open();
      const cycle: Record<string, unknown> = {};
      cycle["self"] = [cycle];
      const bad: readonly (readonly [string, Partial<Record<keyof AuditEntry, unknown>>])[] = [
        ["metadata.self[0] is a cycle", { metadata: cycle }],
        ["metadata.n is a bigint", { metadata: { n: 1n } }],
        ["metadata.f is a function", { metadata: { f: () => 1 } }],
        ["metadata.list[1] is undefined", { metadata: { list: [1, undefined] } }],
        ["metadata.at is no plain object", { metadata: { at: new Date(0) } }],
        ["metadata is no object", { metadata: [] }],
        [
          "metadata.secret is a getter",
          { metadata: Object.defineProperty({}, "secret", { get: () => 1, enumerable: true }) },
        ],
        ["action is no text", { action: 7 }],
        ["actor is no text", { actor: undefined }],
        ["timestamp is not", { timestamp: "2026-01-31T12:00:00Z" }],
        ["timestamp is not", { timestamp: "2026-02-30T12:00:00.000000Z" }],
        ["'hash' is no member", { hash: "0" } as object],
      ];
      for (const [reason, more] of bad)
        await assert.rejects(
          async () => sink.append(entry(more as Partial<AuditEntry>)),
          (error: Error & { code?: string }) =>
            error.code === "AUDIT_EVENT_INVALID" && error.message.includes(reason),
          reason,
        );
      assert.equal(await sink.head(), undefined);
    });

    test("is read from a position on, by id, and from its end", async () => {
      const sink = await open();
      const made: PlacedAuditEvent[] = [];
      for (const id of ["a", "b", "c"]) made.push(await sink.append(entry({ id })));

      assert.deepEqual(await rowsOf(sink, 2), made.slice(1));
      assert.deepEqual(await rowsOf(sink, 4), []);
      assert.deepEqual(await sink.find("b"), made[1]);
      assert.equal(await sink.find("d"), undefined);
      assert.deepEqual(await sink.head(), made[2]);
    });

    test("is queried by actor, action, target, time and position", async () => {
      const sink = await open();
      const at = (second: number) => `2026-01-31T12:00:0${second}.000000Z`;
      for (let n = 0; n < 6; n += 1)
        await sink.append(
          entry({
            ...{ id: String(n), timestamp: at(n), actor: n % 2 === 0 ? "alice" : "bob" },
            ...{ action: n < 3 ? "read" : "write", target: n === 5 ? "other" : "order 7" },
          }),
        );
      const ids = async (query: Parameters<AuditSink["query"]>[0]) =>
        (await sink.query(query)).map((row) => placed(row).event.id).join("");

      assert.equal(await ids(undefined), "012345");
      assert.equal(await ids({ actor: "alice" }), "024");
      assert.equal(await ids({ actor: "bob", action: "write", target: "order 7" }), "3");
      assert.equal(await ids({ since: at(2), until: at(4) }), "23");
      assert.equal(await ids({ after: 2, before: 5 }), "23");
      assert.equal(await ids({ limit: 2 }), "01");
      assert.equal(await ids({ limit: 2, newestFirst: true }), "54");
      assert.equal(await ids({ limit: 2, newestFirst: true, before: 5 }), "32");
      assert.equal(await ids({ actor: "' OR 1=1 --" }), "");
    });

    test("removes its oldest rows, and never the newest", async () => {
      const sink = await open();
      for (let n = 0; n < 5; n += 1) await sink.append(entry({ id: String(n) }));
      assert.equal(await sink.remove(3, 2), 2);
      assert.equal(await sink.remove(3, 2), 1);
      assert.equal(await sink.remove(99, 99), 1);
      const next = await sink.append(entry());

      const rows = await rowsOf(sink);
      assert.deepEqual(
        rows.map(({ position }) => position),
        [5, 6],
      );
      assert.equal(next.event.prev_hash, rows[0]?.event.hash);
      assert.equal(await sink.find("1"), undefined);
    });

    test("keeps one checkpoint of each number", async () => {
      const { checkpoints } = await open();
      assert.equal(await checkpoints.newest(), undefined);
      const each = await Promise.all(["one", "other"].map((text) => checkpoints.put({ number: 1, text })));
      assert.equal(each.filter(Boolean).length, 1);
      assert.equal(await checkpoints.put({ number: 2, text: "two" }), true);
      assert.equal(await checkpoints.put({ number: 3, text: "three" }), true);

      assert.deepEqual(await checkpoints.newest(), { number: 3, text: "three" });
      assert.deepEqual(await checkpoints.list(1, 1), [{ number: 2, text: "two" }]);
      assert.equal((await checkpoints.list(0, 10)).length, 3);
    });
  });
}
