import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, busKey, type Fault, MemoryRuns, type ProblemDetail, RunId } from "framework";
import { codeOf } from "../support/kept-runs.js";

describe("withPersistenceStore", () => {
  test("refuses what is no store, and options out of their range", () => {
    const axon = Axon.start("a");
    const runs = new MemoryRuns();
    for (const call of [
      () => axon.withPersistenceStore({ append: () => true } as never),
      () => axon.withPersistenceStore({ ...runs, leave: undefined } as never),
      () => axon.withPersistenceStore(runs, { checkpoint: "often" as never }),
      () => axon.withPersistenceStore(runs, { timeoutMs: 0 }),
      () => axon.withPersistenceStore(runs, { maxValueChars: 0.5 }),
      () => axon.withPersistenceStore(runs, { maxLogEntries: 0 }),
      () => axon.withPersistenceStore(runs, { maxLogChars: 0 }),
      () => axon.withPersistenceStore(runs, { retain: { endedDays: 0 } }),
      () => axon.withPersistenceStore(runs, { retain: { failedDays: 36_501 } }),
      () => axon.withPersistenceStore(runs, { retain: { endedDays: 1.5 } }),
      () => axon.withPersistenceStore(runs, { retain: { days: 1 } as never }),
    ])
      assert.throws(call, { code: "CONFIG_INVALID" });
  });

  test("takes well-formed text without NUL, and none that the framework makes, as the id of a run, and says so of any other", async () => {
    const runs = new MemoryRuns();
    const axon = Axon.start<number>("named")
      .withPersistenceStore(runs)
      .thenFn("one", (n) => n);

    for (const id of ["", "x".repeat(201), "a\0b", "a\ud800", "\udc00b", "redrive-1", "key-1", 7]) {
      const outcome = await axon.execute(1, Bus.of([[RunId, id as string]]));
      const { status, code, title } = (outcome as unknown as Fault<ProblemDetail>).error;
      assert.deepEqual([status, code], [400, "RUN_ID_INVALID"]);
      assert.match(title, /without NUL/);
    }
    assert.equal(await axon.execute(1, Bus.of([[RunId, `${"x".repeat(198)}\u{1f600}`]])), 1);
    assert.deepEqual(runs.unfinished(), []);
  });

  test("ends a run whose values are larger than it keeps, with the place", async () => {
    const Note = busKey<string>()("Note");
    const kept = (maxValueChars?: number) =>
      Axon.start<number>("large")
        .withPersistenceStore(new MemoryRuns(), maxValueChars === undefined ? {} : { maxValueChars })
        .thenFn(
          "list",
          (n, bus) => {
            bus.set(Note, "n".repeat(n));
            return { lines: ["a".repeat(n)] };
          },
          { writes: [Note] },
        )
        .thenFn("count", ({ lines }, bus) => lines.length + bus.get(Note).length, { reads: [Note] });
    const refused = async (n: number, maxValueChars?: number): Promise<unknown> => {
      const outcome = await kept(maxValueChars).execute(n);
      assert.equal(codeOf(outcome), "VALUE_NOT_DURABLE");
      return (outcome as Fault<{ readonly value: string }>).error.value;
    };

    assert.equal(await kept(100).execute(50), 51);
    assert.equal(await refused(100, 100), "input.lines[0]");
    assert.equal(await kept().execute(1_000_000), 1_000_001);
    assert.equal(await refused(1_048_576), "input.lines[0]");
  });

  test("is drawn and explained at the outermost Axon, whose log is the run's", async () => {
    const [inside, outside] = [new MemoryRuns(), new MemoryRuns()];
    const inner = Axon.start<number>("inner")
      .withPersistenceStore(inside)
      .thenFn("one", (n) => n + 1);
    const axon = Axon.start<number>("outer")
      .subgraph(inner)
      .withPersistenceStore(outside, { checkpoint: "async" });
    const ingressOf = (schematic: ReturnType<typeof axon.schematic> | undefined) => schematic?.nodes[0];

    assert.deepEqual(ingressOf(inner.schematic())?.persistence, { checkpoint: "sync" });
    assert.deepEqual(ingressOf(axon.schematic())?.persistence, { checkpoint: "async" });
    const nested = axon.schematic().nodes.find(({ kind }) => kind === "Subgraph")?.schematic;
    assert.equal(ingressOf(nested)?.persistence, undefined);
    assert.match(axon.explain(), /^outer 1\.0\.0\n {2}kept: each step, while the run goes on\n {2}1 inner/);
    assert.equal(await axon.execute(1, Bus.of([[RunId, "r"]])), 2);
    assert.deepEqual([inside.read("r").length, outside.read("r").length], [0, 2]);
  });
});
