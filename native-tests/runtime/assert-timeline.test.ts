import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, fault, RetryPolicy, transition } from "framework";
import { AxonTestKit, ManualClock, type TestRun } from "framework/runtime";

const flaky = () => {
  let calls = 0;
  return transition({
    name: "ask",
    branches: ["vip"],
    run: (n: number) => {
      calls += 1;
      return calls < 3 ? fault("busy") : branch("vip", n);
    },
  });
};
const route = () =>
  Axon.start<number>("route")
    .thenWithRetry(flaky(), RetryPolicy.fixed(3, 50))
    .branch(
      "vip",
      Axon.start<number>("vip").thenFn("greet", (n) => n + 1),
    );

async function ran(): Promise<TestRun<unknown, unknown>> {
  const clock = new ManualClock();
  const running = new AxonTestKit({}, { clock }).run(route(), 1);
  await clock.advance(100);
  return running;
}
const failure = (run: () => void): Error & { readonly actual?: unknown } => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It agreed");
};

describe("assertTimeline", () => {
  test("agrees with what happened, as far as it is told", async () => {
    const { assertTimeline } = await ran();

    assertTimeline([{ kind: "node_retry" }, { kind: "node_retry", attempt: 2 }]);
    assertTimeline([{ kind: "branch_taken", branch: "vip", node: "route/ask" }]);
    assertTimeline([
      { kind: "node_retry", delay_ms: 50, at_us: 0 },
      { kind: "node_retry", delay_ms: 50, at_us: 50_000 },
      { kind: "branch_taken" },
    ]);
  });

  test("fails where there is another order, one more, one less, or another field", async () => {
    const { assertTimeline } = await ran();

    for (const expected of [
      [{ kind: "branch_taken" }, { kind: "node_retry" }, { kind: "node_retry" }],
      [{ kind: "node_retry" }],
      [{ kind: "node_retry" }, { kind: "node_retry" }, { kind: "node_retry" }],
      [{ kind: "branch_taken", branch: "other" }],
      [{ kind: "compensated" }],
      [],
    ] as const) {
      assert.equal(failure(() => assertTimeline(expected)).name, "AssertionError", JSON.stringify(expected));
    }
  });

  test("shows what happened in the fields that were asked for", async () => {
    const { assertTimeline } = await ran();
    const { message, actual } = failure(() => assertTimeline([{ kind: "branch_taken", branch: "other" }]));

    assert.match(message, /The Timeline of 'route'/);
    assert.deepEqual(actual, [{ kind: "branch_taken", branch: "vip" }]);
  });

  test("shows an event that is out of its place as others of its kind are asked for", async () => {
    const { assertTimeline } = await ran();
    const { actual } = failure(() =>
      assertTimeline([{ kind: "branch_taken" }, { kind: "node_retry", attempt: 2 }]),
    );

    assert.deepEqual(actual, [
      { kind: "node_retry", attempt: 1 },
      { kind: "node_retry", attempt: 2 },
      { kind: "branch_taken" },
    ]);
  });

  test("agrees with nothing where nothing happened that is looked for", async () => {
    const run = await new AxonTestKit().run(Axon.start<number>("empty"), 1);

    run.assertTimeline([]);
  });

  test("does not take a Timeline that lost events for a short one", async () => {
    const loops = Axon.start<number>("loops")
      .label("again")
      .thenFn("count", (n) => n + 1)
      .then(
        transition({
          name: "loop",
          jumps: ["again"],
          run: (n: number) => n,
        }),
      );
    const run = await new AxonTestKit().run(loops, 0);
    const lost = { ...run.timeline, dropped: 1 };
    const { assertTimeline } = await import("#runtime/testing/axon-test-kit.js");

    assert.match(failure(() => assertTimeline(lost, [{ kind: "node_enter" }])).message, /has lost 1 events/);
  });
});
