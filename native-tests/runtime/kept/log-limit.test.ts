import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, json, jump, MemoryRuns, type Report, Type } from "framework";
import { TestApp } from "framework/http";
import { codeOf } from "../../support/outcome-code.js";

const Count = Type.Object({ times: Type.Integer(), text: Type.String() });
type Count = typeof Count.static;

/** An Axon that jumps `times` times over a step that can be undone. */
function looping(options: { maxLogEntries?: number; maxLogChars?: number; checkpoint?: "async" }) {
  const runs = new MemoryRuns();
  const undone: number[] = [];
  const axon = Axon.start("loop", Count)
    .withPersistenceStore(runs, options)
    .label("again")
    .thenCompensated(
      { name: "count", run: ({ times, text }: Count) => ({ times: times - 1, text }) },
      {
        name: "uncount",
        run: ({ input }: { readonly input: Count }) => {
          undone.push(input.times);
        },
      },
    )
    .thenFn("check", (count) => (count.times > 0 ? jump("again", count) : count.times), { jumps: ["again"] });
  const reports: Report[] = [];
  const ingress = Framework.http({ reporter: (report) => void reports.push(report) });
  const app = new TestApp(ingress.post("/loops", axon, { input: json(Count) }));
  const loop = async (times: number, text = "") => {
    reports.length = 0;
    const { status } = await app.post("/loops", { json: { times, text } });
    return [status, ...reports.map(({ code }) => code)];
  };
  return { axon, runs, undone, reports, loop };
}

describe("the log of a run that jumps", () => {
  test("takes no checkpoint beyond its limit: the run fails and is undone, in the log too", async () => {
    const { loop, runs, undone, reports } = looping({ maxLogEntries: 10 });
    assert.deepEqual(await loop(3), [200]);
    assert.deepEqual(await loop(5), [200, "RUN_LOG_LONG"]);
    assert.match(reports[0]?.message ?? "", /has 8 of 10 entries .* RUN_LOG_FULL .*maxLogEntries/);

    assert.deepEqual(await loop(6), [500, "RUN_LOG_LONG", "RUN_LOG_FULL"]);
    assert.deepEqual(undone, [2, 3, 4, 5, 6]);
    assert.deepEqual(runs.unfinished(), [], "it has ended");
  });

  test("is bounded in its size too", async () => {
    const { loop, undone } = looping({ maxLogChars: 5000 });
    assert.deepEqual(await loop(5), [200]);

    assert.deepEqual(await loop(5, "x".repeat(1000)), [500, "RUN_LOG_LONG", "RUN_LOG_FULL"]);
    assert.ok(undone.length > 0);
  });

  test("is bounded where its checkpoints are not awaited", async () => {
    const { loop } = looping({ maxLogEntries: 10, checkpoint: "async" });

    assert.deepEqual(await loop(6), [500, "RUN_LOG_LONG", "RUN_LOG_FULL"]);
  });

  test("counts what it had before the run was resumed", async () => {
    const { axon, runs } = looping({ maxLogEntries: 10 });
    const position = { node: "loop/count", input: { times: 3, text: "" }, bus: {}, jumps: 0 };
    runs.append("a", 0, [{ kind: "begun", at: 1, axon: "loop", version: "1.0.0", ...position }]);
    for (let n = 1; n < 7; n += 1)
      runs.append("a", n, [{ kind: "checkpoint", at: 1, completed: [], ...position }]);

    assert.equal(codeOf(await axon.resume("a")), "RUN_LOG_FULL");
    assert.deepEqual(
      runs
        .read("a")
        .map(({ kind }) => kind)
        .slice(7),
      ["resumed", "checkpoint", "checkpoint", "failed", "undone", "undone", "ended"],
    );
  });
});
