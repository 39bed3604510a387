import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  emit,
  eventKind,
  fault,
  isFault,
  jump,
  type Recorder,
  type Timeline,
  type TracedRun,
  transition,
} from "framework";
import { AxonTestKit, ManualClock, RetryPolicy } from "framework/runtime";
import type { TimelineEvent } from "#core/timeline/timeline.js";
import { joinedRecorder } from "#http/request/joined-recorder.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";

const Told = eventKind<number>()("told");

/** An event in a few words, without times. */
const told = ({ at_us: _, ...event }: TimelineEvent): string =>
  Object.entries(event)
    .filter(([name]) => name !== "duration_us" && name !== "held_us")
    .map(([, value]) => value)
    .join(" ");

const traced = async (axon: AnyAxon, input?: unknown, recorder: Recorder = {}) => {
  const clock = new ManualClock();
  const running = new AxonTestKit({}, { clock, recorder }).run(
    axon as Axon<any, any, any, any, any, any, any, any, any>,
    input,
  );
  await clock.advance(10_000);
  const { timeline, outcome } = await running;
  return { events: timeline.events.map(told), timeline, outcome, clock };
};

const wait = (clock: ManualClock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, resolve));

describe("timeline", () => {
  test("stays what it was where a recorder has seen it, whatever runs come after", () => {
    const seen: (readonly [TracedRun, Timeline])[] = [];
    const unseen: TracedRun[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      ended: (run) => {
        if (run.id % 2 === 0) seen.push([run, run.timeline]);
        else unseen.push(run);
      },
    };
    const axon = Axon.start<number>("a").thenFn("one", (n) => (n < 3 ? n : fault("much")));
    const program = new Program(axon.definition, { recorder });
    for (let n = 0; n < 6; n += 1) void program.run(n, program.acquire());

    assert.deepEqual([seen.length, unseen.length], [3, 3]);
    for (const [run, timeline] of seen) {
      assert.equal(run.timeline, timeline);
      assert.deepEqual(
        timeline.events.map(({ kind }) => kind),
        ["node_enter", "node_exit"],
      );
    }
    assert.equal(new Set(seen.map(([, timeline]) => timeline)).size, 3);
    for (const run of unseen) assert.deepEqual(run.timeline.events, [], "it is another's by now");
  });

  test("tells each node as it is entered and left", async () => {
    const axon = Axon.start<number>("a")
      .thenFn("one", (n) => n + 1)
      .thenFn("two", async (n) => n);

    assert.deepEqual((await traced(axon, 1)).events, [
      "node_enter a/one",
      "node_exit a/one next",
      "node_enter a/two",
      "node_exit a/two next",
    ]);
  });

  test("counts time in whole microseconds, what is waited for included", async () => {
    const clock = new ManualClock();
    const axon = Axon.start("a")
      .thenFn("before", () => wait(clock, 1.5))
      .thenFn("after", () => wait(clock, 2));
    const running = new AxonTestKit({}, { clock }).run(axon, undefined);
    await clock.advance(100);
    const { timeline } = await running;

    assert.deepEqual(
      timeline.events.map((event) => [
        event.kind,
        event.at_us,
        event.kind === "node_exit" ? event.duration_us : 0,
      ]),
      [
        ["node_enter", 0, 0],
        ["node_exit", 1500, 1500],
        ["node_enter", 1500, 0],
        ["node_exit", 3500, 2000],
      ],
    );
    assert.equal(timeline.axon, "a");
    assert.ok(Math.abs(timeline.started_at - Date.now()) < 60_000);
  });

  test("counts none of a wait before a node to the node", async () => {
    const clock = new ManualClock();
    let tries = 0;
    const inner = Axon.start("inner").thenFn("i", () => {
      tries += 1;
      return tries === 1 ? fault("no") : 1;
    });
    const axon = Axon.start("a").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 300));
    const running = new AxonTestKit({}, { clock }).run(axon, undefined);
    await clock.advance(1000);
    const entered = (await running).timeline.events.filter(
      ({ kind, node }) => kind === "node_enter" && node.endsWith("/i"),
    );

    assert.deepEqual(
      entered.map(({ at_us }) => at_us),
      [0, 300_000],
    );
  });

  test("tells branches, jumps and events, and where they lead", async () => {
    const vip = Axon.start<number>("vip").thenFn("thank", (n) => n);
    const axon = Axon.start<number>("a")
      .label("again")
      .thenFn("rate", (n) => (n > 5 ? branch("vip", n) : n), { branches: ["vip"] })
      .branch("vip", vip)
      .thenFn("check", (n) => (n < 9 ? jump("again", 9) : n), { jumps: ["again"] })
      .thenFn("tell", (n) => emit(Told, n, n), { emits: [Told] })
      .thenFn("later", (n) => emit(Told, n, Promise.resolve(n)), { emits: [Told] });

    assert.deepEqual((await traced(axon, 1)).events, [
      "node_enter a/rate",
      "node_exit a/rate next",
      "node_enter a/check",
      "node_exit a/check jump",
      "jump_taken a/check again",
      "node_enter a/rate",
      "node_exit a/rate branch",
      "branch_taken a/rate vip",
      "node_enter a/rate:vip/thank",
      "node_exit a/rate:vip/thank next",
      "node_enter a/check",
      "node_exit a/check next",
      "node_enter a/tell",
      "emitted a/tell told",
      "node_exit a/tell emit",
      "node_enter a/later",
      "emitted a/later told",
      "node_exit a/later emit",
    ]);
  });

  test("tells faults, exceptions and rejections, and what is not declared, as faults", async () => {
    const answers = [
      () => fault("no"),
      () => {
        throw new Error("boom");
      },
      async () => fault("no"),
      () => Promise.reject(new Error("boom")),
      () => jump("nowhere", 1),
      () => emit(Told, 1, fault("no")),
    ];
    for (const answer of answers) {
      const axon = (Axon.start("a") as unknown as AnyAxon).then({
        name: "s",
        emits: [Told],
        run: answer,
      } as never);
      const { events } = await traced(axon);

      assert.equal(events.at(-1), "node_exit a/s fault", String(answer));
    }
  });

  test("tells a subgraph around its steps, whichever way it ends", async () => {
    const inner = Axon.start<number>("inner").thenFn("x", (n) => (n > 1 ? fault("no") : n));
    const axon = Axon.start<number>("a")
      .subgraph(inner)
      .thenFn("last", (n) => n);

    assert.deepEqual((await traced(axon, 1)).events, [
      "node_enter a/inner",
      "node_enter a/inner/x",
      "node_exit a/inner/x next",
      "node_exit a/inner next",
      "node_enter a/last",
      "node_exit a/last next",
    ]);
    assert.deepEqual((await traced(axon, 2)).events, [
      "node_enter a/inner",
      "node_enter a/inner/x",
      "node_exit a/inner/x fault",
      "node_exit a/inner fault",
    ]);
  });

  test("tells steps that run at once, each for itself", async () => {
    const inner = Axon.start<number>("inner").thenFn("x", () => fault("no"));
    const nested = Axon.start<number>("nested").subgraph(inner);
    const axon = Axon.start<number>("a").parallel(
      [transition({ name: "s", run: (n: number) => n }), nested.asTransition()],
      "AnyCanFail",
      () => 1,
    );

    assert.deepEqual((await traced(axon, 1)).events, [
      "node_enter a/parallel",
      "node_enter a/parallel/s",
      "node_exit a/parallel/s next",
      "node_enter a/parallel/nested",
      "node_enter a/parallel/nested/inner",
      "node_enter a/parallel/nested/inner/x",
      "node_exit a/parallel/nested/inner/x fault",
      "node_exit a/parallel/nested/inner fault",
      "node_exit a/parallel/nested fault",
      "node_exit a/parallel next",
    ]);
  });

  test("tells retries and time-outs", async () => {
    let calls = 0;
    const shaky = transition({
      name: "shaky",
      run: () => {
        calls += 1;
        return calls < 2 ? fault("no") : 1;
      },
    });
    const axon = Axon.start("a")
      .thenWithRetry(shaky, RetryPolicy.fixed(3, 20))
      .thenWithTimeout(transition({ name: "hang", run: () => new Promise<number>(() => {}) }), 50);

    assert.deepEqual((await traced(axon)).events, [
      "node_enter a/shaky",
      "node_retry a/shaky 1 20",
      "node_exit a/shaky next",
      "node_enter a/hang",
      "node_timeout a/hang 50",
      "node_exit a/hang fault",
    ]);
  });

  test("tells checks of the input and of the output by the nodes where they stand", async () => {
    const { Type } = await import("framework");
    const axon = Axon.start("a", Type.Number())
      .thenFn("s", (n) => n)
      .withOutputSchema(Type.Number({ maximum: 5 }), { check: "validate" });

    assert.deepEqual((await traced(axon, 9)).events, [
      "node_enter a:in",
      "node_exit a:in next",
      "node_enter a/s",
      "node_exit a/s next",
      "node_enter a:out",
      "node_exit a:out fault",
    ]);
  });

  test("names no node that the Schematic does not draw", async () => {
    const inner = Axon.start<number>("inner").thenFn("x", (n) => n);
    const axon = Axon.start<number>("a")
      .subgraph(inner)
      .parallel(
        [inner.asTransition(), transition({ name: "s", run: (n: number) => n })],
        "AllMustSucceed",
        ([n]) => n,
      )
      .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0))
      .thenFn("b", (n) => branch("side", n), { branches: ["side"] })
      .branch("side", Axon.start<number>("side").subgraph(inner));
    const drawn = new Set<string>();
    const collect = ({ nodes }: ReturnType<typeof axon.schematic>): void => {
      for (const node of nodes) {
        drawn.add(node.id);
        if (node.schematic !== undefined) collect(node.schematic);
      }
    };
    collect(axon.schematic());
    const { timeline } = await traced(axon, 1);

    assert.ok(timeline.events.length > 20);
    for (const { node } of timeline.events) assert.ok(drawn.has(node), node);
  });

  test("closes what is still open when the run is aborted", async () => {
    const seen: string[] = [];
    const { Program } = await import("#runtime/compile/program.js");
    const { RunControl } = await import("#runtime/run/run-control.js");
    const recorder: Recorder = { ended: ({ timeline }) => seen.push(...timeline.events.map(told)) };
    const axon = Axon.start("a").subgraph(Axon.start("inner").thenFn("hang", () => new Promise(() => {})));
    const program = new Program(axon.definition, { recorder });
    program.watch?.watch({ kind: "all" });
    const state = program.acquire();
    state.control = new RunControl();
    const running = program.run(undefined, state);
    state.control.abort("enough");
    await running;

    assert.deepEqual(seen, [
      "node_enter a/inner",
      "node_enter a/inner/hang",
      "node_exit a/inner/hang aborted",
      "node_exit a/inner aborted",
    ]);
  });

  test("holds ten thousand events, and counts the rest", async () => {
    const axon = Axon.start<number>("a")
      .label("again")
      .thenFn("s", (n) => (n < 6000 ? jump("again", n + 1) : n), { jumps: ["again"] })
      .withMaxJumps(10_000);
    const { timeline } = await traced(axon, 0);

    assert.equal(timeline.events.length, 10_000);
    assert.equal(timeline.dropped, 3 * 6000 + 2 - 10_000);
  });
});

describe("a recorder", () => {
  const axon = Axon.start<number>("a")
    .thenFn("one", (n) => n + 1)
    .thenFn("two", (n) => n * 10);

  test("may replace what a node gets, now or after holding the run", async () => {
    const recorder: Recorder = {
      beforeNode: (_, node, input) =>
        node === "a/two" ? new Promise((resolve) => setImmediate(resolve, (input as number) + 100)) : 5,
    };
    const { outcome, events } = await traced(axon, 1, recorder);

    assert.equal(outcome, 1060);
    assert.deepEqual(events, [
      "node_enter a/one",
      "node_exit a/one next",
      "node_paused a/two",
      "node_enter a/two",
      "node_exit a/two next",
    ]);
  });

  test("that answers an input which could be waited for holds nothing, and runs nothing", async () => {
    let ran = 0;
    const query = { then: (resolve: (rows: unknown) => void) => resolve(`rows ${++ran}`) };
    const never = new Promise(() => {});
    const same: Recorder = { beforeNode: (_, _node, given) => given };
    for (const input of [query, never]) {
      const axon = Axon.start("a")
        .then({ name: "decide", branches: ["way"], run: () => branch("way", input) })
        .branch(
          "way",
          Axon.start<unknown>("way").thenFn("look", (given) => given === input),
        );

      assert.equal((await traced(axon)).outcome, true);
      const asked = await traced(axon, undefined, joinedRecorder([same, same]));
      assert.equal(asked.outcome, true);
      assert.ok(!asked.events.some((event) => event.startsWith("node_paused")), String(asked.events));
    }
    assert.equal(ran, 0);
  });

  test("that holds a run cannot keep it from being aborted", async () => {
    const seen: string[] = [];
    const { Program } = await import("#runtime/compile/program.js");
    const { RunControl } = await import("#runtime/run/run-control.js");
    let release: (value: unknown) => void = () => {};
    const recorder: Recorder = {
      beforeNode: () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    };
    const program = new Program(Axon.start("a").thenFn("never", () => void seen.push("ran")).definition, {
      recorder,
    });
    program.watch?.watch({ kind: "all" });
    const state = program.acquire();
    state.control = new RunControl();
    const running = program.run(undefined, state);
    state.control.abort("enough");
    const outcome = await running;
    release(1);
    await new Promise((resolve) => setImmediate(resolve));

    assert.ok(isFault(outcome));
    assert.deepEqual(seen, []);
  });

  test("that throws or rejects changes nothing, and is reported", async () => {
    const broken = () => {
      throw new Error("recorder");
    };
    const { Program } = await import("#runtime/compile/program.js");
    for (const recorder of [
      { beforeNode: broken },
      { beforeNode: () => Promise.reject(new Error("recorder")) },
      { event: broken },
      { ended: broken },
      { event: () => Promise.reject(new Error("recorder")) },
      { ended: () => Promise.reject(new Error("recorder")) },
      { mounted: broken },
      { mounted: () => Promise.reject(new Error("recorder")) },
    ] as Recorder[]) {
      const reports = new Set<string>();
      const program = new Program(axon.definition, { recorder, reporter: ({ code }) => reports.add(code) });
      program.watch?.watch({ kind: "all" });

      assert.equal(await program.run(1, program.acquire()), 20);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual([...reports], ["RECORDER_FAILED"]);
    }
  });
});
