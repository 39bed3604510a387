import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  ExecutionMode,
  Framework,
  jump,
  type Recorder,
  RetryPolicy,
  type TracedRun,
  transition,
} from "framework";
import { TestApp } from "framework/http";
import { ManualClock } from "framework/runtime";

import { Stalls as StallsShape } from "#inspector/api/watching.js";
import { type StallEvent, Stalls, type StallsOptions } from "#inspector/stalls/stalls.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { compileSchema } from "#schema/compile/validator.js";
import { until } from "../../support/patience.js";

/** Steps that answer when a test lets them. */
function gates() {
  const open: Record<string, () => void> = {};
  const gate = (name: string) =>
    transition({
      name,
      run: (n: number) =>
        new Promise<number>((resolve) => {
          open[name] = () => resolve(n);
        }),
    });
  return { gate, open: (name: string) => open[name]?.() };
}

/** An Axon whose runs are all traced, and whose stalls are told of after a second. */
function watched(axon: AnyAxon, options: StallsOptions = {}) {
  const clock = new ManualClock();
  const events: StallEvent[] = [];
  const stalls = new Stalls({
    thresholdMs: 1000,
    everyMs: 100,
    clock,
    tell: (event) => events.push(event),
    ...options,
  });
  const runs: TracedRun[] = [];
  const recorder: Recorder = {
    mounted: (circuit) => circuit.watch({ kind: "all" }),
    begun: (run) => {
      runs.push(run);
      stalls.begun(run);
    },
    ended: stalls.ended,
  };
  const program = new Program(axon.definition, { recorder, clock });
  const run = (input?: unknown): unknown => program.run(input, program.acquire());
  /** What was told, in a few words. */
  const told = () =>
    events
      .splice(0)
      .map((event) =>
        event.kind === "stall_detected"
          ? `${event.stall.node} stalls for ${event.stall.stalled_ms}`
          : `${event.node} stalled for ${event.stalled_ms}`,
      );
  return { clock, stalls, run, told, runs };
}

describe("a node that is not left", () => {
  test("stalls once it was entered as long ago as the threshold, and is told of once", async () => {
    const { gate, open } = gates();
    const { clock, stalls, run, told } = watched(
      Axon.start<number>("a").then(gate("slow")).then(gate("next")),
    );
    run(1);
    await clock.advance(900);
    assert.deepEqual([told(), stalls.list()], [[], []]);

    await clock.advance(100);
    assert.deepEqual(told(), ["a/slow stalls for 1000"]);
    await clock.advance(550);
    assert.deepEqual(told(), []);
    assert.equal(stalls.list()[0]?.stalled_ms, 1550);

    open("slow");
    await clock.advance(100);
    assert.deepEqual([told(), stalls.list()], [["a/slow stalled for 1550"], []]);
    await clock.advance(950);
    assert.deepEqual(told(), ["a/next stalls for 1050"], "from when it was entered itself");
  });

  test("is shown as the contract says", async () => {
    const { gate } = gates();
    const { clock, stalls, run } = watched(Axon.start<number>("a").then(gate("slow")));
    run(1);
    await clock.advance(1234);
    const answer = {
      api_version: "1.0",
      kind: "inspector.stalls.v1",
      data: { stalls: stalls.list(), threshold_ms: stalls.thresholdMs, workers_silent: 0 },
    };
    const { check, errors } = compileSchema(StallsShape, {
      owner: "test",
      origin: "program",
      generate: false,
    });

    assert.ok(check(answer), JSON.stringify(errors(answer)));
    const [{ run_id, entered_at, ...stall } = assert.fail()] = stalls.list();
    assert.deepEqual(stall, {
      circuit: "a",
      node: "a/slow",
      label: "slow",
      stalled_ms: 1234,
      threshold_ms: 1000,
      request: null,
    });
    assert.ok(run_id !== "" && Math.abs(entered_at - Date.now()) < 60_000);
  });

  test("stalls no more when its run is over", async () => {
    const { gate } = gates();
    const { clock, stalls, run, told, runs } = watched(Axon.start<number>("a").then(gate("slow")));
    const running = run(1) as Promise<unknown>;
    await clock.advance(1000);
    assert.deepEqual(told(), ["a/slow stalls for 1000"]);

    runs[0]?.abort(undefined);
    await running;
    assert.deepEqual([told(), stalls.list()], [["a/slow stalled for 1000"], []]);
    assert.equal(clock.timers, 1);
    await clock.advance(100);
    assert.equal(clock.timers, 0, "nobody looks while nothing runs");
  });

  test("is the innermost of those that wait for it", async () => {
    const { gate, open } = gates();
    const inner = Axon.start<number>("inner").then(gate("first")).then(gate("slow"));
    const axon = Axon.start<number>("a").subgraph(inner).then(gate("after"));
    const { clock, run, told } = watched(axon);
    run(1);
    await clock.advance(900);
    open("first");
    await clock.advance(950);
    assert.deepEqual(told(), [], "a/inner is open for longer, and waits for what is inside");
    await clock.advance(100);
    assert.deepEqual(told(), ["a/inner/slow stalls for 1000"]);
  });

  test("is each of several that run at once", async () => {
    const { gate, open } = gates();
    const axon = Axon.start<number>("a").parallel(
      [gate("x"), gate("y")],
      "AllMustSucceed",
      ([n]) => n as number,
    );
    const { clock, run, told } = watched(axon);
    run(1);
    await clock.advance(1000);
    assert.deepEqual(told(), ["a/parallel/x stalls for 1000", "a/parallel/y stalls for 1000"]);
    open("x");
    await clock.advance(100);
    assert.deepEqual(told(), ["a/parallel/x stalled for 1000"]);
  });

  test("does not stall while a breakpoint holds its run", async () => {
    const { gate } = gates();
    let isHeld = true;
    const { clock, run, told } = watched(Axon.start<number>("a").then(gate("slow")), {
      isHeld: () => isHeld,
    });
    run(1);
    await clock.advance(5000);
    assert.deepEqual(told(), []);
    isHeld = false;
    await clock.advance(100);
    assert.deepEqual(told(), ["a/slow stalls for 5100"]);
  });

  test("is found on an ingress with its request, behind a layer", async () => {
    const { gate, open } = gates();
    const clock = new ManualClock();
    const stalls = new Stalls({ thresholdMs: 1000, clock });
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      begun: stalls.begun,
      ended: stalls.ended,
    };
    const ingress = Framework.http({ recorder })
      .layer({ name: "around", run: (_, next) => next() })
      .get(
        "/slow",
        Axon.start("a")
          .thenFn("one", () => 1)
          .then(gate("slow")),
      );
    await using app = new TestApp(ingress);
    const asking = app.get("/slow");
    await until("it waits", () => clock.timers > 0);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(2000);

    const [stall, ...others] = stalls.list();
    assert.deepEqual([stall?.node, stall?.request?.path, others.length], ["a/slow", "/slow", 0]);
    open("slow");
    assert.equal((await asking).status, 200);
    assert.deepEqual(stalls.list(), []);
  });
});

describe("a wait of a run", () => {
  test("for its checkpoint or its lock stalls no node around it", async () => {
    let answer = (): void => {};
    const later = <T>(value: T) => new Promise<T>((resolve) => (answer = () => resolve(value)));
    const runs = Object.assign(Object.create(new MemoryRuns()) as MemoryRuns, { append: () => later(true) });
    const provider = {
      acquire: () => later({ key: "in", token: 1 }),
      renew: () => true,
      release: () => true,
    };
    const { gate } = gates();
    const inner = Axon.start<number>("in").then(gate("slow"));
    const locked = inner.withExecutionMode(ExecutionMode.singleton("in", 60_000, provider));
    const axons = {
      checkpoint: Axon.start<number>("a")
        .then(inner.asTransition())
        .withPersistenceStore(runs, { timeoutMs: 60_000 }),
      lock: Axon.start<number>("a").then(locked.asTransition()),
    };

    for (const [reason, axon] of Object.entries(axons)) {
      const { clock, run, told, stalls, runs: seen } = watched(axon);
      run(1);
      await clock.advance(3000);
      assert.equal(seen[0]?.waitsAt?.length, 1, reason);
      assert.deepEqual([told(), stalls.list()], [[], []], reason);

      answer();
      await clock.advance(900);
      assert.deepEqual(told(), [], reason);
      await clock.advance(200);
      assert.deepEqual(told(), ["a/in/slow stalls for 1000"], reason);
      stalls.close();
    }
  });

  test("before it is tried again stalls nothing, and the next try has its own time", async () => {
    let fail = (): void => {};
    const flaky = transition({
      name: "flaky",
      run: (_: number) => new Promise<number>((_, reject) => (fail = () => reject(new Error("no")))),
    });
    const { clock, run, told, stalls } = watched(
      Axon.start<number>("a").thenWithRetry(flaky, RetryPolicy.fixed(3, 5000)),
    );
    run(1);
    await clock.advance(1000);
    assert.deepEqual(told(), ["a/flaky stalls for 1000"]);

    fail();
    await clock.advance(5900);
    assert.deepEqual([told(), stalls.list()], [["a/flaky stalled for 1000"], []]);
    await clock.advance(100);
    assert.deepEqual(told(), ["a/flaky stalls for 1000"]);
    stalls.close();
  });
});

describe("stall detection", () => {
  test("keeps nothing of runs that are over in time, and no more than it may of others", async () => {
    const { gate } = gates();
    const axon = Axon.start<number>("a").thenFn("quick", (n) => n);
    const { clock, run } = watched(axon);
    for (let i = 0; i < 1000; i += 1) run(i);
    await clock.advance(100);
    assert.equal(clock.timers, 0);

    const slow = watched(Axon.start<number>("a").then(gate("slow")), { maxRuns: 5, maxStalls: 3 });
    for (let i = 0; i < 7; i += 1) slow.run(i);
    await slow.clock.advance(1000);
    assert.equal(slow.told().length, 3);
    assert.equal(slow.stalls.list().length, 3);
    slow.stalls.close();
    assert.equal(slow.clock.timers, 0);
  });

  test("says nothing of a run whose Timeline is full", async () => {
    const { gate } = gates();
    const axon = Axon.start<number>("a")
      .label("again")
      .then(
        transition({
          name: "count",
          jumps: ["again"],
          run: (n: number) => (n > 0 ? jump("again", n - 1) : n),
        }),
      )
      .then(gate("slow"));
    const { clock, run, told } = watched(axon.withMaxJumps(10_000));
    run(5001);
    await clock.advance(2000);

    assert.deepEqual(told(), []);
  });
});
