// What the Inspector's consumers know after a flood of recorded runs, beside runs that were open all
// the while: one that a breakpoint holds, one that stalls, and one of ten thousand visits.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, jump, transition } from "framework";
import { ManualClock } from "framework/runtime";
import type { Clock } from "#core/clock.js";
import { Steering } from "#inspector/breakpoints/steering.js";
import { Feed } from "#inspector/feed/feed.js";
import { FeedRecorder } from "#inspector/feed/feed-recorder.js";
import { Recording } from "#inspector/recording/recording.js";
import { Stalls } from "#inspector/stalls/stalls.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import { TraceCollector } from "#inspector/traces/trace-collector.js";
import { TraceStore } from "#inspector/traces/trace-store.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { Metrics } from "#telemetry/metrics/metrics.js";
import { heapAfterCollection } from "../../support/heap.js";

const RUNS_PER_SECOND = 50_000;
const SECONDS = 10;
const THIRTY_SECONDS_MS = 30_000;
const MAX_GROWTH = 2 * 1024 * 1024;

/** All that a server's Inspector has told it of runs, on a clock that the test moves. */
function inspector() {
  const clock = new ManualClock();
  const feed = new Feed({ clock });
  const nodes = new DrawnNodes(() => []);
  const metrics = new Metrics({ now: () => clock.now() });
  const store = new TraceStore({ nodes });
  const capture = new PayloadCapture("off");
  const isSought = (): boolean => feed.isHeard;
  const collector = new TraceCollector({ store, nodes, capture, isSought });
  const stalls = new Stalls({
    clock,
    isHeld: ({ runId }) => isHeld(runId),
    tell: (event) => feed.tell(event),
  });
  const steering = new Steering({ clock, watchAll: (circuit) => recording.closely(circuit) });
  const isHeld = (id: string): boolean => steering.paused().some(({ run_id }) => run_id === id);
  const told = new FeedRecorder({
    ...{ feed, labelOf: (_run: unknown, node: string) => node, titleOf: () => "" },
    rowOf: (number) => store.row(number),
  });
  const recording = new Recording({
    consumers: [steering, metrics.recorder, stalls, collector.recorder, told],
  });
  const programOf = (axon: AnyAxon, runs: Clock = clock): Program =>
    new Program(axon.definition, { production: true, recorder: recording.recorder, clock: runs });
  const run = (program: Program, input?: unknown): unknown => program.run(input, program.acquire());
  return { clock, feed, metrics, store, stalls, steering, programOf, run };
}

/** A clock that stands still but where a step takes its time, and what the steps took. */
function timed() {
  let us = 0;
  const clock: Clock = { now: () => us / 1000, after: () => () => {} };
  const took: number[] = [];
  /** Most are short, and few are long: 1 us to 1 s. */
  const step = (n: number): number => {
    const length = Math.floor(10 ** ((6 * ((n * 7919) % 10_007) ** 2) / 10_007 ** 2));
    us += length;
    took.push(length);
    return n;
  };
  return { clock, took, step };
}

const exact = (samples: readonly number[], percent: number): number => {
  const sorted = Float64Array.from(samples).sort();
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] as number;
};

describe("a flood of recorded runs", () => {
  test("loses nothing but what is counted as dropped, and takes no memory that it keeps", async () => {
    const { clock, feed, metrics, store, stalls, steering, programOf, run } = inspector();
    let answer = (_: number): void => {};
    const waits = transition({ name: "waits", run: () => new Promise<number>((done) => (answer = done)) });
    const stalling = programOf(
      Axon.start("stalling")
        .thenFn("first", () => 1)
        .then(waits),
    );
    const held = programOf(
      Axon.start<number>("held")
        .thenFn("stop", (n) => n + 1)
        .thenFn("after", (n) => n),
    );
    const rounds = programOf(
      Axon.start<number>("rounds")
        .label("again")
        .thenFn("count", (n) => n + 1)
        .then(
          transition({
            name: "turn",
            jumps: ["again"],
            run: (n: number) => (n < 5000 ? jump("again", n) : n),
          }),
        )
        .withMaxJumps(5000),
    );
    const { clock: stepping, took, step } = timed();
    const flood = programOf(
      Axon.start<number>("flood")
        .thenFn("one", step)
        .thenFn("two", (n) => n),
      stepping,
    );
    const closed: number[] = [];
    // It reads the first message, and then no more.
    const reader = {
      bufferedAmount: 0,
      isOpen: true,
      close: (code: number) => void closed.push(code),
      send: () => "sent" as const,
    };
    feed.join(reader, "operator").take({ type: "subscribe", kinds: ["circuit_exit"] } as never);
    steering.breakpoints.set({ node_id: "held/stop", hold_ms: 60_000 } as never);

    const stalled = run(stalling);
    const holding = run(held, 1);
    const second = async (): Promise<void> => {
      for (let n = 0; n < RUNS_PER_SECOND; n += 1) {
        void run(flood, took.length);
        if (n % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await clock.advance(1000);
      metrics.tick();
      reader.bufferedAmount = 64 * 1024 * 1024;
    };
    await second();
    const before = heapAfterCollection();
    for (let at = 1; at < SECONDS; at += 1) await second();
    // What the test itself notes is a number each.
    const grown = heapAfterCollection() - before - 8 * 1.5 * RUNS_PER_SECOND * (SECONDS - 1);
    assert.ok(grown < MAX_GROWTH, `${grown} bytes`);

    const runs = RUNS_PER_SECOND * SECONDS;
    const floodOf = () => metrics.report().circuits.find(({ circuit }) => circuit === "flood");
    const [, , minute] = floodOf()?.windows ?? [];
    assert.deepEqual([floodOf()?.total, minute?.count, minute?.samples], [runs, runs, runs]);
    const node = floodOf()?.nodes.find(({ label }) => label === "one")?.windows[2];
    for (const [name, percent] of [
      ["p50_us", 50],
      ["p90_us", 90],
      ["p99_us", 99],
    ] as const)
      for (const { latency } of [minute ?? assert.fail(), node ?? assert.fail()]) {
        const shown = (latency as unknown as Record<string, number>)[name] as number;
        const right = exact(took, percent);
        assert.ok(Math.abs(shown - right) <= 0.03 * right + 0.5, `${name} ${shown}, exactly ${right}`);
      }
    assert.equal(store.size + store.dropped, runs, "all are kept, or counted as dropped");
    const { lost, count, limit } = feed.stats;
    assert.ok(lost > 0 && count <= limit, `${lost} lost, ${count} of ${limit} kept for a reader`);

    await clock.advance(THIRTY_SECONDS_MS);
    assert.deepEqual(closed, [1008], "a reader that takes nothing is let go of");
    assert.deepEqual(
      stalls.list().map((stall) => [stall.node, Math.round(stall.stalled_ms / 1000)]),
      [["stalling/waits", 30 + SECONDS]],
    );
    const [paused] = steering.paused();
    steering.resume(paused?.id ?? "");
    answer(7);
    assert.deepEqual([await stalled, await holding], [7, 2]);
    assert.deepEqual(stalls.list(), []);
    const rows = ["stalling", "held"].map((circuit) => {
      const page = store.query({ circuit }) as { readonly traces: readonly { readonly run_id: string }[] };
      return store
        .get(page.traces[0]?.run_id ?? "")
        ?.nodes.map((visit) => [
          visit.node,
          Math.round(visit.duration_us / 1e6),
          Math.round(visit.held_us / 1e6),
        ]);
    });
    const long = 30 + SECONDS;
    assert.deepEqual(rows, [
      [
        ["stalling/first", 0, 0],
        ["stalling/waits", long, 0],
      ],
      [
        ["held/stop", long, long],
        ["held/after", 0, 0],
      ],
    ]);

    assert.equal(await run(rounds, 0), 5000);
    metrics.tick();
    const page = store.query({ circuit: "rounds" }) as {
      readonly traces: readonly { readonly run_id: string }[];
    };
    const trace = store.get(page.traces[0]?.run_id ?? "");
    const roundsOf = metrics.report().circuits.find(({ circuit }) => circuit === "rounds");
    assert.deepEqual(
      roundsOf?.nodes.map(({ label, total }) => [label, total]),
      [
        ["count", 5000],
        ["turn", 5000],
      ],
    );
    // Enter, exit, and for each jump one more.
    assert.equal((trace?.events.length ?? 0) + (trace?.events_dropped ?? 0), 24_999);
  });
});
