// Steps that hold the event loop, as an operator is told of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Framework,
  FrameworkConfig,
  guard,
  pass,
  workerModule,
  workerTransition,
} from "framework";
import type { WatchedCircuit } from "framework/core";
import type { OffloadAdvice } from "#inspector/api/offload.js";
import { LongSteps } from "#inspector/offload/long-steps.js";
import { Peers } from "#inspector/peers/peers.js";
import { coarseClock } from "#runtime/run/counters.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { MemoryRooms } from "#std/memory/memory-rooms.js";
import { hold } from "../../support/hold.js";
import { answering } from "../../support/inspected.js";
import { nodeCounts } from "../../support/node-counts.js";
import { until } from "../../support/patience.js";
import { spin } from "../../support/pool-work.js";

const OPERATOR = "operator-token-0123456789";
const work = workerModule<typeof import("../../support/pool-work.js")>(
  new URL("../../support/pool-work.js", import.meta.url),
);

/** A server with an Inspector that listens. */
async function inspected(sampleRatio = 1) {
  let inspector = "";
  const server = await Framework.http({ reporter: () => {} })
    .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } }))
    .guard(
      guard({
        name: "slow-guard",
        run: (input) => {
          spin(3);
          return pass(input);
        },
      }),
    )
    .get(
      "/hash",
      Axon.start("hash")
        .thenFn("plain", () => spin(5))
        .thenFn("async", async (ms) => spin(ms))
        .offload(workerTransition({ name: "thread", module: work, export: "spin" })),
    )
    .get(
      "/once",
      Axon.start("once").thenFn("block", () => {
        hold(200);
        return "held";
      }),
    )
    .inspector({
      ...{ enabled: true, port: 0, sampleRatio, auth: BearerAuth.tokens({ operator: OPERATOR }) },
      announce: (link) => {
        inspector = new URL(link).origin;
      },
    })
    .drainIdle(0)
    .bind("127.0.0.1:0")
    .run();
  const get = async (path: string) => assert.equal((await fetch(`${server.url}${path}`)).status, 200);
  const advice = async () => {
    const headers = { authorization: `Bearer ${OPERATOR}` };
    return ((await (await fetch(`${inspector}/api/v1/offload`, { headers })).json()) as any).data;
  };
  return { get, advice, close: () => server.close() };
}

describe("the advice to offload", () => {
  test("lists steps that compute, also before their promise, with the gain; no guard, and no offloaded step", async () => {
    const { get, advice, close } = await inspected();
    for (let n = 0; n < 20; n += 1) await get("/hash");
    const { steps, crossing_us, workers_silent } = await advice();
    await close();

    assert.deepEqual(steps.map(({ node }: any) => node).sort(), ["hash/async", "hash/plain"]);
    for (const step of steps) {
      assert.deepEqual([step.circuit, step.calls, step.long_calls], ["hash", 20, 20]);
      assert.ok(step.mean_us >= 5000 && step.longest_us >= step.mean_us, JSON.stringify(step));
      assert.equal(step.gain_us, step.mean_us - crossing_us);
    }
    assert.ok(crossing_us >= 100);
    assert.equal(workers_silent, 0);
  });

  test("lists a step that held the loop for 50 ms once, also where no run is recorded", async () => {
    for (const [sampleRatio, calls] of [
      [1, 1],
      [0, 0],
    ] as const) {
      const { get, advice, close } = await inspected(sampleRatio);
      await until("the clock of counted runs ticks", () => coarseClock()[0] > 0);
      await get("/once");
      const { steps, crossing_us, crossing_calls } = await advice();
      await close();

      const [step] = steps;
      assert.deepEqual([steps.length, step.node, step.calls], [1, "once/block", calls]);
      assert.ok(step.longest_us >= 50_000);
      assert.equal(step.gain_us === null, calls === 0);
      assert.deepEqual([crossing_us, crossing_calls], [100, 0]);
    }
  });
});

interface Times {
  readonly calls?: number;
  readonly mean?: number;
  readonly long?: number;
  readonly longMean?: number;
  readonly longest?: number;
}

function circuit(
  name: string,
  { calls = 0, mean = 0, long = 0, longMean = mean, longest = 0 }: Times,
): WatchedCircuit {
  const counts = nodeCounts(calls, 0);
  counts.synchronous.calls[0] = calls;
  counts.synchronous.sumUs[0] = calls * mean;
  counts.synchronous.long[0] = long;
  counts.synchronous.longSumUs[0] = long * longMean;
  counts.synchronous.longestUs[0] = longest;
  return { name, version: "1", nodes: [{ id: `${name}/step`, label: "step" }], counts, watch: () => {} };
}

/** The steps of circuits whose name begins with "thread" are offloaded. */
function longSteps(...circuits: readonly WatchedCircuit[]): LongSteps {
  const steps = new LongSteps({
    of: () => ({ label: "step", kind: "Atom" }),
    isOffloaded: (name) => name.startsWith("thread"),
  });
  for (const each of circuits) steps.mounted(each);
  return steps;
}

/** What the Inspector of a process answers. */
const adviceOf = (offload: LongSteps, peers?: Peers) =>
  answering<OffloadAdvice>("/api/v1/offload", { offload, peers });

const advised = (own: LongSteps) => adviceOf(own)();

const listed = async (...circuits: readonly WatchedCircuit[]) =>
  (await advised(longSteps(...circuits))).steps.map((step) => step.circuit);

describe("a step that could be offloaded", () => {
  test("has more than 5 % of 20 calls or more beyond 1 ms, or one of 50 ms", async () => {
    assert.deepEqual(
      await listed(
        circuit("few", { calls: 19, mean: 900, long: 19 }),
        circuit("at p95", { calls: 100, mean: 800, long: 5 }),
        circuit("beyond p95", { calls: 100, mean: 700, long: 6 }),
        circuit("enough", { calls: 20, mean: 600, long: 2 }),
        circuit("long", { calls: 1000, mean: 200, long: 1, longest: 49_999 }),
        circuit("once", { calls: 1000, mean: 120, long: 1, longest: 50_000 }),
      ),
      ["beyond p95", "once", "enough"],
    );
  });

  test("frees time of the loop, or its mean is not known", async () => {
    assert.deepEqual(
      await listed(
        circuit("less", { calls: 1000, mean: 99, long: 1, longest: 60_000 }),
        circuit("as much", { calls: 1000, mean: 100, long: 1, longest: 60_000 }),
        circuit("more", { calls: 1000, mean: 101, long: 1, longest: 60_000 }),
        circuit("unknown", { calls: 0, longest: 60_000 }),
      ),
      ["more", "unknown"],
    );
  });

  test("comes first where it frees most of the loop's time, and is one of 50 at most", async () => {
    const circuits = Array.from({ length: 60 }, (_, n) =>
      circuit(`c${n}`, { calls: 100, mean: 1000 + n, long: 100 }),
    );
    const { steps, not_listed } = await advised(longSteps(...circuits));

    assert.deepEqual([steps.length, not_listed], [50, 10]);
    assert.deepEqual([steps[0]?.circuit, steps.at(-1)?.circuit], ["c59", "c10"]);
  });

  test("is less worth where jobs of the service were dear to send, and no more where they were cheap", async () => {
    const crossing = async (calls: number, mean: number, long = 0, longMean = 0) => {
      const own = longSteps(circuit("thread", { calls, mean, long, longMean }));
      const { crossing_us, crossing_calls, steps } = await advised(own);
      return [crossing_us, crossing_calls, steps.length];
    };

    assert.deepEqual(await crossing(19, 400), [100, 0, 0]);
    assert.deepEqual(await crossing(20, 400), [400, 20, 0]);
    assert.deepEqual(await crossing(20, 30), [100, 20, 0]);
    // What is far beyond the others is none of the mean; where most are, they are the mean.
    assert.deepEqual(await crossing(40, 1200, 2, 20_200), [200, 38, 0]);
    assert.deepEqual(await crossing(40, 4400, 30, 5800), [5800, 30, 0]);
  });

  test("is that of all circuits of its name, and of all processes", async () => {
    const rooms = new MemoryRooms();
    const merged = [1, 2].map((pid) => {
      const own = longSteps(
        circuit("hash", { calls: 10 * pid, mean: 2000, long: 10 * pid, longest: 3000 * pid }),
        circuit("hash", { calls: 10, mean: 2000, long: 10, longest: 2500 }),
      );
      const peers = new Peers({ bus: rooms.join(), expected: 1, clock: new ManualClock(), pid });
      return adviceOf(own, peers);
    });
    const { steps, workers_silent } = await (merged[0] ?? assert.fail())();

    assert.equal(workers_silent, 0);
    assert.deepEqual(
      steps.map(({ calls, mean_us, long_calls, longest_us, gain_us }) => [
        ...[calls, mean_us, long_calls],
        ...[longest_us, gain_us],
      ]),
      [[50, 2000, 50, 6000, 1900]],
    );
  });
});
