import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import { eraseSubject } from "#compliance/erasure/erase-subject.js";
import type { ErasureSink } from "#core/ports/erasure.js";
import { ManualClock } from "#runtime/run/manual-clock.js";

const REQUEST = { id: "17", subject: "ann", reason: "asked by letter" };

const sink = (name: string, erase: ErasureSink["erase"] = () => ({ erased: 1 })): ErasureSink => ({
  name,
  erase,
});

describe("an erasure", () => {
  // ES1: the others go on.
  test("names a sink that throws and one that hangs, and the others go on", async () => {
    const clock = new ManualClock();
    let signal: AbortSignal | undefined;
    const hanging = sink("hangs", (_, call) => {
      signal = call.signal;
      void clock.advance(60_000);
      return new Promise(() => {});
    });
    const throwing = sink("throws", () => {
      throw new Error("the disk is full");
    });

    const erased = await eraseSubject(REQUEST, { sinks: [throwing, hanging, sink("files")], clock });

    assert.equal(erased.state, "failed");
    assert.deepEqual(
      erased.sinks.map((each) => [each.sink, each.state, each.erased, each.error]),
      [
        ["throws", "failed", 0, "the disk is full"],
        ["hangs", "failed", 0, "it did not respond within 60000 ms"],
        ["files", "done", 1, undefined],
      ],
    );
    assert.equal(signal?.aborted, true);
  });

  test("waits for a sink that goes on", async () => {
    const clock = new ManualClock();
    const slow = sink("slow", async (_, { goesOn }) => {
      for (let n = 0; n < 3; n += 1) {
        await clock.advance(50_000);
        goesOn();
      }
      return { erased: 3 };
    });

    assert.equal((await eraseSubject(REQUEST, { sinks: [slow], clock })).state, "done");
    assert.equal(clock.timers, 0);
  });

  // ES2: the request before, the result afterwards, without the subject.
  test("is in the audit log before anything is erased, and again with its result", async () => {
    const audit = new MemoryAuditSink();
    const by = "cli:root@host (unverified)";
    let before = 0;
    const counting = sink("files", async () => {
      before = (await audit.query()).length;
      return { erased: 2, left: ["file 3: it is open"] };
    });

    await eraseSubject(REQUEST, { sinks: [counting], audit, by });

    const rows = await audit.query();
    const events = rows
      .flatMap((row) => ("event" in row ? [row.event] : []))
      .sort((one, other) => one.timestamp.localeCompare(other.timestamp));
    const shown = { actor: by, target: "erasure/17", intent: "asked by letter" };
    assert.equal(before, 1);
    assert.deepEqual(
      events.map(({ actor, action, target, intent, metadata }) => ({
        actor,
        action,
        target,
        intent,
        metadata,
      })),
      [
        { ...shown, action: "compliance.erasure.begun", metadata: { sinks: ["files"] } },
        {
          ...{ ...shown, action: "compliance.erasure" },
          metadata: { state: "in_progress", erased: { files: 2 }, left: { files: 1 } },
        },
      ],
    );
    assert.doesNotMatch(JSON.stringify(events), /ann/);
  });

  // ES1 and ES2, also where nothing was found and sinks are asked for other issuers.
  test("names a sink that cannot tell its issuers or its counts, and is recorded", async () => {
    const [audit, clock] = [new MemoryAuditSink(), new ManualClock()];
    const nothing = () => ({ erased: 0 });
    const issuers: ErasureSink["issuers"] = async function* () {
      yield "abc";
      throw new Error("the disk is gone");
    };
    const hanging = (): Promise<number> => {
      void clock.advance(60_000);
      return new Promise(() => {});
    };

    const { state, sinks, otherIssuers } = await eraseSubject(REQUEST, {
      sinks: [
        { ...sink("files", nothing), issuers },
        { ...sink("mails", nothing), count: hanging },
        { ...sink("notes", nothing), count: ({ issuer }) => (issuer === "abc" ? 1 : 0) },
      ],
      ...{ audit, clock },
    });

    assert.deepEqual([state, otherIssuers], ["failed", ["abc"]]);
    assert.deepEqual(
      sinks.map(({ error }) => error),
      [
        "its issuers and counts: the disk is gone",
        "its issuers and counts: it did not respond within 60000 ms",
        undefined,
      ],
    );
    assert.equal((await audit.query()).length, 2);
  });

  test("that cannot be recorded erases nothing", async () => {
    const audit = Object.assign(new MemoryAuditSink(), { append: () => Promise.reject(new Error("full")) });
    let isErased = false;
    const watched = sink("files", () => {
      isErased = true;
      return { erased: 1 };
    });

    await assert.rejects(eraseSubject(REQUEST, { sinks: [watched], audit }), { message: "full" });
    assert.equal(isErased, false);
  });

  test("refuses what it cannot mean", async () => {
    for (const [request, options, message] of [
      [{ subject: "" }, undefined, /subject is the id of a person/],
      [{ issuer: "" }, undefined, /issuer is a text/],
      [{ reason: "" }, undefined, /give a reason/],
      [{ id: "a b" }, undefined, /id has 1 to 100 letters/],
      [{ extent: [] }, undefined, /'extent' is no option/],
      [{}, { sinks: [sink("files"), sink("files")] }, /two sinks are named 'files'/],
      [{}, {}, /there is nothing to look at/],
      [{}, { stores: { shown: "memory:" } }, /memory: keeps nothing beyond its process/],
    ] as const)
      await assert.rejects(eraseSubject({ ...REQUEST, ...request }, options ?? { sinks: [sink("files")] }), {
        ...{ code: "CONFIG_INVALID", message },
      });
  });
});
