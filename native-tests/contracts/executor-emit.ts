// What every executor does with an event.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { branch, emit, fault, isFault } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import { after, runner, Told } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function emitContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: emit`, () => {
    const emitting = Axon.start<number>("e")
      .thenFn("tell", (n) => emit(Told, n, n + 1), { emits: [Told] })
      .thenFn("end", (n) => n * 2);

    test("hands the event to every sink and goes on with the value", async () => {
      const events: unknown[] = [];
      const axon = emitting
        .withEventSink({ send: (event) => events.push(["a", event]) })
        .withEventSink({ send: (event) => events.push(["b", event]) });
      const ran = await run(axon, 1);

      assert.equal(ran.outcome, 4);
      assert.ok(ran.sync);
      assert.deepEqual(events, [
        ["a", { name: "told", payload: 1 }],
        ["b", { name: "told", payload: 1 }],
      ]);
    });

    test("needs no sink", async () => {
      assert.equal((await run(emitting, 1)).outcome, 4);
    });

    test("reaches the sinks of the Axons around a branch, each once", async () => {
      const events: string[] = [];
      const shared = { send: () => events.push("shared") };
      const axon = Axon.start<number>("outer")
        .thenFn("b", (n) => branch("e", n), { branches: ["e"] })
        .branch("e", emitting.withEventSink(shared))
        .withEventSink(shared)
        .withEventSink({ send: () => events.push("outer") });
      await run(axon, 1);

      assert.deepEqual(events, ["shared", "outer"]);
    });

    test("is not changed by a sink that throws or rejects: that is reported", async () => {
      const reports: string[] = [];
      const reporter = (report: { code: string }) => reports.push(report.code);
      const axon = emitting
        .withEventSink({
          send: () => {
            throw new Error("sink");
          },
        })
        .withEventSink({ send: () => Promise.reject(new Error("sink")) });
      const { outcome } = await run(axon, 1, undefined, { reporter });
      await after(1, 0);

      assert.equal(outcome, 4);
      assert.deepEqual(reports, ["EVENT_SINK_FAILED", "EVENT_SINK_FAILED"]);
    });

    test("reaches a sink that sends once its answer is awaited, and reports what that rejects with", async () => {
      const reports: unknown[] = [];
      const reporter = ({ code, error }: { code: string; error?: unknown }) => reports.push([code, error]);
      let sent = 0;
      const query = {
        then: (_: unknown, failed: (cause: unknown) => void) => {
          sent += 1;
          failed("no table");
        },
      };
      const axon = emitting.withEventSink({ send: () => query as unknown as Promise<void> });
      await run(axon, 1, undefined, { reporter });
      await after(1, 0);

      assert.equal(sent, 1);
      assert.deepEqual(reports, [["EVENT_SINK_FAILED", "no table"]]);
    });

    test("reads the emitted value like an answer", async () => {
      const pending = Axon.start<number>("e").thenFn("tell", (n) => emit(Told, n, after(1, n)), {
        emits: [Told],
      });
      const refusing = Axon.start<number>("e").thenFn("tell", (n) => emit(Told, n, fault("no")), {
        emits: [Told],
      });
      const refused = (await run(refusing, 1)).outcome;

      assert.equal((await run(pending, 1)).outcome, 1);
      assert.equal(isFault(refused) && refused.error, "no");
    });
  });
}
