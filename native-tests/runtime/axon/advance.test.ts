// A kept Axon that is advanced entry by entry, by a host that keeps the log itself.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fault } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import type { RunEntry } from "#core/ports/run-store.js";
import { mountedRuns } from "#core/ports/store-set.js";
import type { AdvanceStart, LogEntry } from "#runtime/axon/advance-types.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { MigrationStrategy } from "#runtime/definition/axon-definition.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { adds, any, cases, Go, Rate, started, undoes } from "../../support/advanced-cases.js";
import { advanced, compared, kept, plain } from "../../support/advanced-runs.js";

describe("advance", () => {
  for (const [what, of] of Object.entries(cases)) {
    // AV1: entries are those of any other kept run.
    test(`gives the entries and the outcome of the run in memory: an Axon that ${what}`, async () => {
      const inMemory = await kept(of, new MemoryRuns());
      const calls: string[] = [];
      const run = await advanced(of.axon(new MemoryRuns(), calls), calls, of);

      assert.deepEqual(run.entries, inMemory.entries);
      assert.deepEqual(plain(run.outcome), plain(inMemory.outcome));
      assert.deepEqual(run.calls, inMemory.calls);
      for (const { answer } of run.turns) {
        const kinds = answer.entries.map(({ kind }) => kind);
        assert.ok(kinds.filter((kind) => kind !== "begun" && kind !== "resumed").length <= 1, String(kinds));
      }
      const again = await of.axon(new MemoryRuns(), []).advance(run.log, { runId: "run", bus: of.bus });
      assert.deepEqual(again.entries, []);
      if (run.log.length > 0) assert.deepEqual(plain(again.over?.outcome), plain(run.outcome));
    });

    // AV2: what is kept is not done again, what is lost is done again.
    test(`goes on behind each entry to the same end: an Axon that ${what}`, async () => {
      const calls: string[] = [];
      const whole = await advanced(of.axon(new MemoryRuns(), calls), calls, of);
      let at = 0;
      for (const [turn, { answer }] of whole.turns.entries()) {
        for (let cut = at; cut < at + answer.entries.length; cut += 1) {
          const noted: string[] = [];
          const rest = await advanced(of.axon(new MemoryRuns(), noted), noted, of, whole.log.slice(0, cut));
          assert.deepEqual(rest.entries, whole.entries, `cut after ${cut}`);
          assert.deepEqual(plain(rest.outcome), plain(whole.outcome));
          assert.deepEqual(
            noted,
            whole.turns.slice(turn).flatMap((each) => each.calls),
            `cut after ${cut}`,
          );
        }
        at += answer.entries.length;
      }
    });
  }

  const withoutActor = (log: readonly RunEntry[]): readonly RunEntry[] =>
    log.map((entry) => ("actor" in entry ? { ...entry, actor: undefined } : entry) as RunEntry);
  const saga = (runs: MemoryRuns, calls: string[]) =>
    any(
      started(runs)
        .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
        .thenCompensated(adds(calls, "b"), undoes(calls, "b"))
        .sleep("nap", 1000)
        .then(adds(calls, "end")),
    );

  test("cancels a run at each of its entries as a run in memory is cancelled, and an ended one not", async () => {
    const calls: string[] = [];
    const whole = await advanced(saga(new MemoryRuns(), calls), calls, { input: 0, woken: [{ by: "time" }] });
    assert.ok(whole.log.length > 4);
    for (let cut = 1; cut < whole.log.length; cut += 1) {
      const from = whole.log.slice(0, cut);
      const runs = new MemoryRuns();
      await runs.append("run", 0, from as readonly RunEntry[]);
      const undone: string[] = [];
      const outcome = await saga(runs, undone).cancel("run", "no more");
      const noted: string[] = [];
      const run = await advanced(saga(new MemoryRuns(), noted), noted, { input: 0 }, from, {
        reason: "no more",
      });

      assert.deepEqual(plain(run.outcome), plain(outcome));
      assert.deepEqual(noted, undone);
      // A host that keeps the log itself claims nothing: only the end of a wait is kept.
      const isWaiting = from.at(-1)?.kind === "waiting";
      const expected = runs.read("run").filter((_, at) => isWaiting || at !== cut);
      assert.equal(runs.read("run")[cut]?.kind, "resumed");
      assert.deepEqual(run.entries, compared(withoutActor(expected)));
    }
    const ended = await saga(new MemoryRuns(), []).advance(whole.log, {
      ...{ runId: "run", cancel: { reason: "late" } },
    });
    assert.deepEqual(ended, { entries: [], over: { outcome: 3 } });
    const unbegun = await saga(new MemoryRuns(), []).advance([], { runId: "run", cancel: { reason: "x" } });
    assert.deepEqual(unbegun.entries, []);
    assert.deepEqual(plain(unbegun.over?.outcome), {
      fault: { code: "RUN_CANCELLED", runId: "run", reason: "x" },
    });
  });

  test("answers for what a run waits, as long as nothing that it waits for has ended the wait", async () => {
    const axon = started(new MemoryRuns()).waitFor(Go, { timeoutMs: 500, take: (n) => n });
    const first = await axon.advance([], { runId: "run", input: 1 });

    assert.deepEqual(first.waits, { signals: ["go"], inMs: 500 });
    assert.equal(first.over, undefined);
    for (const woken of [undefined, { by: "signal", name: "stop", payload: "x" }] as const) {
      const still = await axon.advance(first.entries, { runId: "run", woken });
      assert.deepEqual(still, { entries: [], waits: { signals: ["go"], inMs: 500 } });
    }
  });

  test("leaves a run waiting whose signal has a payload that its schema refuses", async () => {
    const axon = started(new MemoryRuns()).waitFor(Go, { take: (_, { by }) => by });
    const { entries } = await axon.advance([], { runId: "run", input: 1 });
    const woken = { by: "signal", name: "go", payload: { by: 7 } } as const;
    const refused = await axon.advance(entries, { runId: "run", woken });

    assert.deepEqual(refused.entries, []);
    assert.deepEqual(refused.waits, { signals: ["go"] });
    assert.deepEqual(
      refused.refused?.map(({ pointer }) => pointer),
      ["/by"],
    );
  });

  const family = (calls: string[]) => {
    const child = Axon.start<{ readonly n: number; readonly on: Date }>("child")
      .withPersistenceStore(new MemoryRuns())
      .thenFn("work", ({ n, on }) => {
        calls.push("work");
        return n > 5 ? fault({ code: "TOO_MUCH" as const }) : n + on.getTime();
      })
      .sleep("nap", 5)
      .thenFn("end", (n) => n);
    const parent = started(new MemoryRuns())
      .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
      .startRun(child, { input: (n) => ({ n, on: new Date(100) }) })
      .then(adds(calls, "b"))
      .awaitRun(child, { take: (n, out) => [n, out] });
    return { child, parent };
  };
  const untilWait = async (axon: AnyAxon, input: unknown) => {
    let log: readonly LogEntry[] = [];
    const starts: AdvanceStart[] = [];
    for (;;) {
      const answer = await axon.advance(log, { runId: "run", input: input as never });
      log = [...log, ...answer.entries];
      starts.push(...(answer.starts ?? []));
      if (answer.waits !== undefined) return { log, starts, waits: answer.waits };
    }
  };

  test("answers the runs that a step begins, and goes on with the end of the one that it awaits", async () => {
    for (const [n, outcome] of [
      [1, [3, 102]],
      [7, { fault: { code: "TOO_MUCH" } }],
    ] as const) {
      const calls: string[] = [];
      const { child, parent } = family(calls);
      const { log, starts, waits } = await untilWait(any(parent), n);
      const [start, ...more] = JSON.parse(JSON.stringify(starts)) as AdvanceStart[];
      assert.ok(start !== undefined && more.length === 0);
      assert.deepEqual([start.axon, start.tells, waits], ["child", "run", { run: start.runId }]);

      let childLog: readonly LogEntry[] = [];
      for (let isOver = false; !isOver; ) {
        const answer = await child.advance(childLog, { runId: start.runId, start, woken: { by: "time" } });
        childLog = [...childLog, ...answer.entries];
        isOver = answer.over !== undefined;
      }
      const end = childLog.at(-1);
      let whole = log;
      for (;;) {
        const woken = { by: "run", runId: start.runId, end } as const;
        const answer = await any(parent).advance(whole, { runId: "run", woken });
        whole = [...whole, ...answer.entries];
        if (answer.over === undefined) continue;
        assert.deepEqual(plain(answer.over.outcome), outcome);
        break;
      }
      assert.deepEqual(calls, n === 1 ? ["a", "b", "work"] : ["a", "b", "work", "undo a"]);
    }
  });

  test("names the same run each time that the step which begins it runs, and cancels it with its parent", async () => {
    const { parent } = family([]);
    const first = await untilWait(any(parent), 1);
    const second = await untilWait(any(parent), 1);
    assert.deepEqual(second.starts, first.starts);

    const { cancels, entries } = await any(parent).advance(first.log, {
      ...{ runId: "run", cancel: { reason: "no more" } },
    });
    assert.deepEqual(cancels, [first.starts[0]?.runId]);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["resumed", "failed"],
    );
  });

  test("sends one dead letter of a run that failed, under its id", async () => {
    const letters = new MemoryDeadLetters();
    const calls: string[] = [];
    const axon = any(
      started(new MemoryRuns())
        .withDlqSink(letters)
        .thenCompensated(adds(calls, "a"), undoes(calls, "a"))
        .thenFn("fail", () => fault("no")),
    );
    await advanced(axon, calls, { input: 1 });

    const [letter, ...more] = await letters.list();
    assert.deepEqual([letter?.id, letter?.node, letter?.input, more.length], ["run", "s/fail", 2, 0]);
  });

  // AV3: an abort is of the attempt.
  test("keeps, undoes and sends nothing of an attempt that was aborted: the step runs again", async () => {
    const calls: string[] = [];
    const letters = new MemoryDeadLetters();
    const over = new AbortController();
    const reply = ["fails", "answers late", "answers"];
    const axon = any(
      started(new MemoryRuns())
        .withDlqSink(letters)
        .then(adds(calls, "a"))
        .thenCompensated(
          transition({
            name: "slow",
            run: async (n: number, bus) => {
              const how = reply.shift();
              calls.push(`slow ${how}`);
              if (how === "answers") return n;
              const { signal } = bus;
              over.abort("the attempt is over");
              await Promise.resolve();
              calls.push(`aborted ${signal.aborted}`);
              return how === "fails" ? fault("cut") : n;
            },
          }),
          undoes(calls, "slow"),
        )
        .thenFn("end", (n) => n),
    );
    const first = await axon.advance([], { runId: "run", input: 1 });
    const stuck = { code: "RUN_ABORTED", reason: "the attempt is over" };
    const cut = await axon.advance(first.entries, { runId: "run", signal: over.signal });
    assert.deepEqual(cut, { entries: [], stuck });
    const before = await axon.advance(first.entries, { runId: "run", signal: over.signal });
    assert.deepEqual(before, { entries: [], stuck });
    const second = new AbortController();
    over.abort = () => second.abort("the attempt is over");
    const late = await axon.advance(first.entries, { runId: "run", signal: second.signal });
    assert.deepEqual(late, { entries: [], stuck });
    const again = await axon.advance(first.entries, { runId: "run" });

    assert.deepEqual(
      again.entries.map(({ kind }) => kind),
      ["checkpoint"],
    );
    const slow = ["slow fails", "aborted true", "slow answers late", "aborted true", "slow answers"];
    assert.deepEqual(calls, ["a", ...slow]);
    assert.deepEqual(await letters.list(), []);
  });

  test("begins no run in an attempt that is aborted before its first step has settled", async () => {
    const over = new AbortController();
    const axon = started(new MemoryRuns()).thenFn("a", async (n) => {
      over.abort("too late");
      await Promise.resolve();
      return n;
    });
    const cut = await axon.advance([], { runId: "run", input: 1, signal: over.signal });

    assert.deepEqual(cut, { entries: [], stuck: { code: "RUN_ABORTED", reason: "too late" } });
  });

  test("runs no step of an attempt that is aborted before the run has begun", async () => {
    const over = new AbortController();
    const calls: string[] = [];
    const axon = started(new MemoryRuns())
      .withSubject(() => {
        over.abort("early");
        return "ann";
      })
      .then(adds(calls, "a"));
    const cut = await axon.advance([], { runId: "run", input: 1, signal: over.signal });

    assert.deepEqual([cut.entries, cut.stuck?.code, calls], [[], "RUN_ABORTED", []]);
  });

  test("goes on with the log of a run that hosts have left as stuck", async () => {
    const calls: string[] = [];
    const axon = any(
      started(new MemoryRuns()).then(adds(calls, "a")).then(adds(calls, "b")).then(adds(calls, "c")),
    );
    const { entries } = await axon.advance([], { runId: "run", input: 0 });
    const { log, outcome } = await advanced(axon, calls, {}, [...entries, { kind: "stuck", at: 0 }]);

    assert.equal(outcome, 3);
    assert.deepEqual(
      log.map(({ kind }) => kind),
      ["begun", "checkpoint", "stuck", "resumed", "checkpoint", "ended"],
    );
  });

  test("is stuck, as a value, with a log that is damaged or of another version", async () => {
    const of = (version: string) =>
      any(started(new MemoryRuns()).withVersion(version).then(adds([], "a")).then(adds([], "b")));
    const { entries } = await of("1.0.0").advance([], { runId: "run", input: 1 });

    const other = await of("2.0.0").advance(entries, { runId: "run" });
    assert.equal(other.stuck?.code, "RUN_INCOMPATIBLE");
    assert.match(other.stuck?.reason ?? "", /1\.0\.0/);
    const damaged = await of("1.0.0").advance(entries.slice(1), { runId: "run" });
    assert.deepEqual([damaged.entries, damaged.stuck?.code], [[], "CHECKPOINT_FAILED"]);
  });

  test("goes on with a run of an older version as its migrations say, and keeps that it has", async () => {
    const calls: string[] = [];
    const old = Axon.start<number>("s")
      .withPersistenceStore(mountedRuns)
      .then(adds(calls, "a"))
      .then(adds(calls, "b"))
      .then(adds(calls, "c"));
    const { entries } = await old.advance([], { runId: "run", input: 0 });
    const migrated = (strategy: MigrationStrategy) =>
      any(
        Axon.start<number>("s")
          .withVersion("2.0.0")
          .withPersistenceStore(mountedRuns, { migrations: [{ from: "1.0.0", strategy }] })
          .then(adds(calls, "x"))
          .then(adds(calls, "y")),
      );
    const there = migrated(MigrationStrategy.migrateActiveNode("s/b", "s/x"));
    const moved = await advanced(there, calls, {}, entries);
    const finished = await advanced(
      migrated(MigrationStrategy.completeOnOldVersion(old)),
      calls,
      {},
      entries,
    );

    assert.deepEqual([moved.outcome, finished.outcome], [3, 3]);
    assert.deepEqual(calls, ["a", "x", "y", "b", "c"]);
    const kindsOf = (log: readonly LogEntry[]) => log.map(({ kind }) => kind);
    assert.deepEqual(kindsOf(moved.log), ["begun", "checkpoint", "resumed", "checkpoint", "ended"]);
    assert.deepEqual(kindsOf(finished.log), ["begun", "checkpoint", "checkpoint", "ended"]);
  });

  test("refuses before the first step what cannot be advanced, with the remedy", async () => {
    const calls: string[] = [];
    const first = started(new MemoryRuns()).then(adds(calls, "a"));
    const refused: readonly [AnyAxon, string, RegExp][] = [
      [any(Axon.start<number>("s").then(adds(calls, "a"))), "run", /withPersistenceStore/],
      [
        any(first.withExecutionMode(ExecutionMode.singleton("k", 1000, new MemoryLocks()))),
        "run",
        /lock 'k'.*withExecutionMode/,
      ],
      [any(first), "", /runId/],
    ];
    for (const [axon, runId, remedy] of refused)
      await assert.rejects(axon.advance([], { runId, input: 1 }), {
        code: "CONFIG_INVALID",
        message: remedy,
      });
    const start = { axon: "other", runId: "run", input: 1, tells: "parent" };
    await assert.rejects(any(first).advance([], { runId: "run", start }), {
      ...{ code: "CONFIG_INVALID", message: /run 'run' of 'other'/ },
    });
    const needs = first.thenFn("rate", (n, bus) => n * bus.get(Rate), { reads: [Rate] });
    await assert.rejects(any(needs).advance([], { runId: "run", input: 1 }), { code: "KEYS_UNPROVIDED" });
    assert.deepEqual(calls, []);
  });
});
