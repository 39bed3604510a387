// What is done to runs from outside, in the audit log of their Axon.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  fault,
  MemoryDeadLetters,
  MemoryRuns,
  MigrationStrategy,
  RunId,
  redrive,
} from "framework";
import { type AuditSink, MemoryAuditSink } from "framework/audit";
import { resumeRun } from "#runtime/axon/resume.js";
import { codeOf, never, taken } from "../support/kept-runs.js";

const eventsIn = async (sink: AuditSink) =>
  (await sink.query()).map((row) => ("event" in row ? row.event : assert.fail("unreadable")));

const broken: AuditSink = {
  ...new MemoryAuditSink(),
  rows: () => assert.fail("not asked for"),
  append: () => Promise.reject(new Error("disk full")),
};

/** An Axon with a run that has stopped in its one step. */
const stopped = (sink: AuditSink, options: { readonly onFailure?: "refuse" | "log" } = {}) => {
  const runs = new MemoryRuns();
  const world = { hangs: true };
  const of = (version: string) =>
    Axon.start<number>("ship")
      .withVersion(version)
      .withAuditSink(sink, options)
      .withPersistenceStore(runs, {
        migrations: [{ from: "1.0.0", strategy: MigrationStrategy.resumeFromStart() }],
      })
      .thenFn("pack", (n) => (world.hangs ? never() : n) as number);
  const axon = of("1.0.0");
  void axon.execute(1, Bus.of([[RunId, "r"]]));
  world.hangs = false;
  return { axon, of, runs };
};

describe("an Axon with an audit log", () => {
  test("records who resumes a run, and where", async () => {
    const sink = new MemoryAuditSink();
    const { axon } = stopped(sink);

    assert.equal(await taken(axon, "r", undefined, undefined, { actor: "eve", intent: "a test" }), 1);
    assert.equal(await taken(axon, "r"), 1, "one that has ended is no intervention");

    const [event, ...others] = await eventsIn(sink);
    assert.deepEqual(
      [event?.actor, event?.action, event?.target, event?.intent],
      ["eve", "run.resume", "r", "a test"],
    );
    assert.deepEqual(event?.metadata, { axon: "ship", node: "ship/pack", version: "1.0.0" });
    assert.deepEqual(others, []);
  });

  test("leaves out what the caller has recorded in that log itself", async () => {
    const [sink, other] = [new MemoryAuditSink(), new MemoryAuditSink()];
    for (const recordedIn of [sink, other])
      await taken(stopped(sink).axon, "r", undefined, undefined, { actor: "eve", recordedIn });

    assert.equal((await eventsIn(sink)).length, 1, "the caller's record is in another log");
  });

  test("records who cancels a run, by default the program, and why", async () => {
    const sink = new MemoryAuditSink();
    const { axon } = stopped(sink);

    const cancelled = await axon.cancel("r", "ordered twice", undefined, undefined, { force: true });
    assert.equal(codeOf(cancelled), "RUN_CANCELLED");

    const [event] = await eventsIn(sink);
    assert.deepEqual(
      [event?.actor, event?.action, event?.intent],
      ["program", "run.cancel", "ordered twice"],
    );
  });

  test("records that a host takes a run of another version, and not one of its own", async () => {
    for (const [version, actions] of [
      ["1.0.0", []],
      ["2.0.0", ["run.migrate"]],
    ] as const) {
      const sink = new MemoryAuditSink();
      const { of } = stopped(sink);

      assert.equal(await resumeRun(of(version).definition, "r", { count: true }), 1);

      const events = await eventsIn(sink);
      assert.deepEqual(
        events.map(({ action }) => action),
        actions,
      );
      for (const { actor, metadata } of events)
        assert.deepEqual([actor, metadata["from_version"]], ["host", "1.0.0"]);
    }
  });

  test("does it all the same where it cannot be recorded, unless it refuses that", async () => {
    const { axon } = stopped(broken);
    assert.equal(await taken(axon, "r"), 1);

    const refusing = stopped(broken, { onFailure: "refuse" });
    const before = refusing.runs.read("r");
    assert.equal(codeOf(await taken(refusing.axon, "r")), "AUDIT_FAILED");
    assert.deepEqual(refusing.runs.read("r"), before);
  });

  test("records who re-drives a dead letter, unless that is refused", async () => {
    const letters = new MemoryDeadLetters();
    const world = { fails: true };
    const of = (sink: AuditSink) =>
      Axon.start<number>("pay")
        .withAuditSink(sink, { onFailure: "refuse" })
        .withDlqSink(letters)
        .thenFn("charge", (n) => (world.fails ? fault("no") : n));
    const sink = new MemoryAuditSink();
    await of(sink).execute(1);
    const [{ id } = assert.fail()] = letters.list();
    world.fails = false;

    assert.deepEqual(await redrive(letters, id, of(broken)), { kind: "unrecorded" });
    assert.equal(letters.list().length, 1);
    assert.equal((await redrive(letters, id, of(sink), undefined, { actor: "eve" })).kind, "done");
    const [event] = await eventsIn(sink);
    assert.deepEqual([event?.actor, event?.action, event?.target], ["eve", "letter.redrive", id]);
    assert.equal(event?.metadata["node"], "pay/charge");
  });
});
