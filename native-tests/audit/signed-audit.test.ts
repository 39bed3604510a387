import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  type AuditAnchor,
  type AuditSink,
  generateSigningKey,
  MemoryAuditSink,
  publicKeys,
  type SignedAuditOptions,
  signedAudit,
  signingKey,
  sinkAnchor,
  verifyAudit,
} from "framework/audit";
import type { Report } from "framework/core";
import { ManualClock } from "#runtime/run/manual-clock.js";

const pair = () => {
  const { privateKey, publicKey } = generateSigningKey();
  return { key: signingKey(privateKey), keys: publicKeys(publicKey) };
};

/** A signed log in memory whose clock the test moves. */
function signed(options: Partial<SignedAuditOptions> = {}, sink: AuditSink = new MemoryAuditSink()) {
  const clock = new ManualClock();
  const reports: Report[] = [];
  const { key, keys } = pair();
  const report = (told: Report): void => void reports.push(told);
  const log = signedAudit(sink, { key, clock, report, ...options });
  const append = async (count = 1) => {
    for (let n = 0; n < count; n += 1) await log.append({ actor: "alice", action: "pay", target: "order 7" });
  };
  return { sink, log, clock, reports, keys, append };
}

/** Until what was begun without waiting is done: sinks in memory take no time. */
const settled = () => new Promise((done) => setImmediate(done));

const numbers = async ({ checkpoints }: AuditSink) =>
  (await checkpoints.list(0, 100)).map(({ text }) => {
    const { first, last } = JSON.parse(text);
    return `${first}-${last}`;
  });

describe("a signed audit log", () => {
  test("has a checkpoint after so many events, and after so much time", async () => {
    const { log, clock, append } = signed({ everyEvents: 3, everyMs: 1000 });
    await append(3);
    await settled();
    assert.deepEqual(await numbers(log), ["1-3"]);
    await append(2);
    await clock.advance(999);
    assert.deepEqual(await numbers(log), ["1-3"]);
    await clock.advance(1);
    await settled();

    assert.deepEqual(await numbers(log), ["1-3", "4-5"]);
  });

  test("signs what is left when it is closed", async () => {
    const { sink, log, keys, append } = signed();
    await append(2);
    assert.equal((await verifyAudit(sink, { keys })).isSound, false, "unsigned so far");
    await log.close();

    assert.deepEqual(await numbers(sink), ["1-2"]);
    assert.deepEqual((await verifyAudit(sink, { keys })).failures, []);
  });

  test("leaves to another process what that has signed", async () => {
    const { privateKey } = generateSigningKey();
    const sink = new MemoryAuditSink();
    const [one, other] = [1, 2].map(() => signed({ key: signingKey(privateKey), everyEvents: 4 }, sink));
    await one?.append(4);
    await settled();
    await other?.append(3);
    await settled();
    assert.deepEqual(await numbers(sink), ["1-4"]);
    await one?.append(1);
    await settled();

    assert.deepEqual(await numbers(sink), ["1-4", "5-8"]);
  });

  test("acknowledges each event once it is anchored, if it is asked to", async () => {
    const elsewhere = new MemoryAuditSink();
    const { sink, keys, log } = signed({ anchors: [sinkAnchor(elsewhere)], anchor: "each" });
    for (let n = 1; n <= 3; n += 1) {
      await Promise.all(
        ["a", "b"].map((id) => log.append({ id: `${id}${n}`, actor: "a", action: "b", target: "c" })),
      );
      const found = await verifyAudit(sink, { keys, anchor: sinkAnchor(elsewhere) });
      assert.deepEqual([found.failures, found.behind, found.events], [[], 0, 2 * n]);
    }
  });

  test("refuses to acknowledge what an anchor does not take, and does not call one twice that never answers", async () => {
    let calls = 0;
    const never: AuditAnchor = {
      shown: "the anchor",
      put: () => {
        calls += 1;
        return new Promise(() => {});
      },
      newest: async () => undefined,
    };
    const { log, clock, reports, append } = signed({ anchors: [never], anchor: "each", anchorTimeoutMs: 50 });
    for (let n = 0; n < 3; n += 1) {
      const refused = assert.rejects(append(), { code: "AUDIT_ANCHOR_FAILED" });
      for (let turn = 0; turn < 20; turn += 1) await settled();
      await clock.advance(50);
      await refused;
    }

    assert.equal(calls, 1);
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["AUDIT_ANCHOR_LATE"],
    );
    assert.equal((await log.head())?.position, 3, "the events are kept");
  });

  test("hands an anchor all that it missed, once it answers again", async () => {
    const elsewhere = new MemoryAuditSink();
    const anchor = sinkAnchor(elsewhere);
    let isDown = true;
    const failing: AuditAnchor = {
      ...anchor,
      put: async (checkpoint) => {
        if (isDown) throw new Error("down");
        return anchor.put(checkpoint);
      },
    };
    const { sink, clock, reports, keys, append } = signed({
      anchors: [failing],
      everyEvents: 1,
      everyMs: 1000,
    });
    for (let n = 0; n < 3; n += 1) {
      await append();
      await settled();
    }
    isDown = false;
    await clock.advance(1000);
    await settled();

    assert.deepEqual(
      reports.map(({ code }) => code),
      ["AUDIT_ANCHOR_LATE"],
    );
    assert.deepEqual(await numbers(elsewhere), await numbers(sink));
    assert.deepEqual((await verifyAudit(sink, { keys, anchor })).failures, []);
  });

  test("anchors nothing once its history is another than the anchored one", async () => {
    const anchor = sinkAnchor(new MemoryAuditSink());
    const { privateKey, publicKey } = generateSigningKey();
    const key = signingKey(privateKey);
    const first = signed({ key, anchors: [anchor], anchor: "each" });
    await first.append(2);
    const rolledBack = signed({ key, anchors: [anchor], anchor: "each" });
    await assert.rejects(rolledBack.append(3), { code: "AUDIT_ANCHOR_FAILED" });

    const found = await verifyAudit(rolledBack.sink, { keys: publicKeys(publicKey), anchor });
    assert.deepEqual(
      found.failures.map(({ kind, checkpoint }) => [kind, checkpoint]),
      [
        ["anchor", 2],
        ["anchor", 1],
      ],
    );
  });

  test("signs nothing that was changed before it was signed", async () => {
    const forged = new MemoryAuditSink();
    const { log, append, reports, clock } = signed({ everyMs: 10 }, forged);
    await append(3);
    const rows = forged.rows.bind(forged);
    forged.rows = async function* (from) {
      for await (const row of rows(from))
        yield row.position === 2 && "event" in row
          ? { ...row, event: { ...row.event, actor: "mallory" } }
          : row;
    };
    await clock.advance(10);
    await settled();

    assert.equal(await log.checkpoints.newest(), undefined);
    assert.deepEqual(
      reports.map(({ code, error }) => [code, (error as { code?: string }).code]),
      [["AUDIT_UNSIGNED", "AUDIT_CHAIN_BROKEN"]],
    );
  });

  test("signs nothing more once a checkpoint that it has read is gone", async () => {
    const options = { key: pair().key, everyEvents: 2 };
    const sink = new MemoryAuditSink();
    const earlier = signed(options, sink);
    for (let n = 0; n < 2; n += 1) {
      await earlier.append(2);
      await settled();
    }
    const { append, reports } = signed(options, sink);
    await append();
    const [oldest] = await sink.checkpoints.list(0, 1);
    // A signer that takes the old one for the newest signs again and again.
    const answers = Array.from({ length: 9 }, () => oldest);
    const newest = async () => answers.pop() ?? assert.fail("asked too often");
    Object.assign(sink.checkpoints, { newest });
    await append();
    await settled();

    assert.deepEqual(
      reports.map(({ code, error }) => [code, (error as { code?: string }).code]),
      [["AUDIT_UNSIGNED", "AUDIT_CHAIN_BROKEN"]],
    );
  });
});

describe("events that a process left unsigned", () => {
  const left = async (count: number, sink: AuditSink = new MemoryAuditSink()) => {
    const { privateKey, publicKey } = generateSigningKey();
    const key = signingKey(privateKey);
    const killed = signed({ key, everyEvents: 4 }, sink);
    await killed.append(4);
    await settled();
    await killed.append(count);
    return { key, keys: publicKeys(publicKey), sink };
  };
  const forgedAt = (sink: AuditSink, position: number): AuditSink => ({
    ...{ ...sink, find: sink.find, head: sink.head, checkpoints: sink.checkpoints, append: sink.append },
    rows: async function* (from) {
      for await (const row of sink.rows(from))
        yield row.position === position && "event" in row
          ? { ...row, event: { ...row.event, actor: "mallory" } }
          : row;
    },
  });

  test("are signed when the next one begins, and shown as signed late", async () => {
    const { key, keys, sink } = await left(3);
    const anchor = sinkAnchor(new MemoryAuditSink());
    const next = signed({ key, anchors: [anchor] }, sink);
    await next.log.begin?.();
    await settled();
    assert.deepEqual(await numbers(sink), ["1-4", "5-7"]);
    const found = await verifyAudit(sink, { keys, anchor });

    assert.deepEqual([found.failures, found.adopted, found.behind], [[], 3, 0]);
    assert.match(found.notes.join(), /3 events were signed late.*5 to 7 by checkpoint 2/);
    await next.append(1);
    await next.log.close();
    assert.equal((await verifyAudit(sink, { keys })).adopted, 3, "its own event is not adopted");
  });

  test("are signed before the first append where nothing began the log", async () => {
    const { key, keys, sink } = await left(2);
    await signed({ key }, sink).append(1);

    assert.deepEqual(await numbers(sink), ["1-4", "5-6"]);
    assert.equal((await verifyAudit(sink, { keys })).adopted, 2);
  });

  test("are signed once by two processes that begin at once", async () => {
    const { key, keys, sink } = await left(3);
    const both = [1, 2].map(() => signed({ key }, sink));
    await Promise.all(both.map(({ log }) => log.begin?.()));

    assert.deepEqual(await numbers(sink), ["1-4", "5-7"]);
    assert.deepEqual((await verifyAudit(sink, { keys })).failures, []);
    assert.deepEqual(
      both.flatMap(({ reports }) => reports),
      [],
    );
  });

  test("are not signed where one was changed, and appends name its place", async () => {
    const { key, sink } = await left(3);
    const next = signed({ key }, forgedAt(sink, 6));
    await next.log.begin?.();

    await assert.rejects(next.append(), { code: "AUDIT_CHAIN_BROKEN", message: /event 6 was changed/ });
    assert.deepEqual(
      next.reports.map(({ code }) => code),
      ["AUDIT_UNSIGNED"],
    );
    assert.deepEqual(await numbers(sink), ["1-4"]);
    assert.equal((await sink.head())?.position, 7);
  });

  test("are signed at a later append where the store was away at the start", async () => {
    const { key, sink } = await left(3);
    let isAway = true;
    const head = sink.head;
    Object.assign(sink, { head: async () => (isAway ? Promise.reject(new Error("away")) : head()) });
    const next = signed({ key }, sink);
    await next.log.begin?.();
    await assert.rejects(next.append(), /away/);
    isAway = false;
    await next.append();

    assert.deepEqual(await numbers(sink), ["1-4", "5-7"]);
  });

  test("are signed without an append once the store is back", async () => {
    const { key, keys, sink } = await left(3);
    let isAway = true;
    const head = sink.head;
    Object.assign(sink, { head: async () => (isAway ? Promise.reject(new Error("away")) : head()) });
    const next = signed({ key, everyMs: 1000 }, sink);
    await next.log.begin?.();
    isAway = false;
    await next.clock.advance(1000);
    await settled();

    assert.deepEqual(await numbers(sink), ["1-4", "5-7"]);
    assert.equal((await verifyAudit(sink, { keys })).adopted, 3);
    await next.log.close();
  });

  test("need no checkpoint where the ended process had signed all: only the anchor lacks it", async () => {
    const { key, sink } = await left(0);
    const elsewhere = new MemoryAuditSink();
    const next = signed({ key, anchors: [sinkAnchor(elsewhere)] }, sink);
    await next.log.begin?.();
    await settled();

    assert.deepEqual(await numbers(elsewhere), ["1-4"]);
    assert.deepEqual(await numbers(sink), ["1-4"]);
    await next.log.close();
  });

  test("need no checkpoint where there are none", async () => {
    const { sink, log } = signed();
    await log.begin?.();

    assert.deepEqual(await numbers(sink), []);
  });
});

describe("the keys of an audit log", () => {
  const rotated = async (previousKey: "signs" | "lost") => {
    const sink = new MemoryAuditSink();
    const [old, young] = [pair(), pair()];
    const first = signed({ key: old.key }, sink);
    await first.append(2);
    await first.log.close();
    const second = signed({ key: young.key, previousKey: previousKey === "signs" ? old.key : "lost" }, sink);
    await second.append(2);
    await second.log.close();
    return { sink, old, young };
  };

  test("rotate: either public key verifies the whole log", async () => {
    const { sink, old, young } = await rotated("signs");

    for (const keys of [old.keys, young.keys, [...old.keys, ...young.keys]])
      assert.deepEqual((await verifyAudit(sink, { keys })).failures, []);
    assert.equal((await verifyAudit(sink, { keys: pair().keys })).failureCount, 2);
  });

  test("are both needed where the former one is lost", async () => {
    const { sink, old, young } = await rotated("lost");

    assert.deepEqual((await verifyAudit(sink, { keys: [...old.keys, ...young.keys] })).failures, []);
    for (const keys of [old.keys, young.keys])
      assert.deepEqual(
        (await verifyAudit(sink, { keys })).failures.map(({ kind }) => kind),
        ["signature"],
      );
  });

  // AU1: a replaced key is refused.
  test("sign nothing once they are replaced", async () => {
    const { sink, old, young } = await rotated("signs");
    const stolen = signed({ key: old.key, previousKey: "lost" }, sink);
    await stolen.append();
    await stolen.log.close();

    const { failures } = await verifyAudit(sink, { keys: [...old.keys, ...young.keys] });
    assert.deepEqual(
      failures.map(({ kind, checkpoint }) => [kind, checkpoint]),
      [["signature", 3]],
    );
  });

  test("are asked for before the first event is acknowledged", async () => {
    const { sink, young } = await rotated("signs");
    const other = signed({}, sink);

    await assert.rejects(other.append(), { code: "AUDIT_KEY_INVALID" });
    assert.ok(young.key.id.length === 32);
    assert.equal((await sink.head())?.position, 4);
  });
});
