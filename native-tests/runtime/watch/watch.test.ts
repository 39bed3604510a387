import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  fault,
  isFault,
  MemoryDeadLetters,
  type Recorder,
  type Report,
  transition,
} from "framework";
import type { WatchedCircuit, WatchLevel } from "framework/core";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program, type ProgramOptions } from "#runtime/compile/program.js";
import { RunControl } from "#runtime/run/run-control.js";
import { generators } from "../../support/code-generation.js";
import { programArguments } from "../../support/run-program.js";

const levels: readonly WatchLevel[] = [
  { kind: "off" },
  { kind: "counted" },
  { kind: "sampled", every: 2 },
  { kind: "all" },
];

/** An Axon under a recorder that keeps what it is told. */
function watched(axon: AnyAxon, options: ProgramOptions = {}, told: Recorder = {}) {
  const traces: { readonly events: readonly string[]; readonly outcome: unknown }[] = [];
  const reports: Report[] = [];
  const circuits: WatchedCircuit[] = [];
  const recorder: Recorder = {
    mounted: (circuit) => circuits.push(circuit),
    ...told,
    ended: ({ timeline }, outcome) =>
      traces.push({ events: timeline.events.map(({ kind, node }) => `${kind} ${node}`), outcome }),
  };
  const program = new Program(axon.definition, {
    recorder,
    reporter: (report) => reports.push(report),
    ...options,
  });
  const run = (input?: unknown) => program.run(input, program.acquire());
  return { circuit: circuits[0] as WatchedCircuit, traces, reports, run, program };
}

for (const generate of generators) {
  describe(`watching, ${generate ? "generated code" : "loop"}`, () => {
    const axon = Axon.start<number>("a")
      .thenFn("first", (n) => (n < 0 ? fault("negative") : n > 9 ? branch("high", n) : n), {
        branches: ["high"],
      })
      .branch(
        "high",
        Axon.start<number>("high").thenFn("cap", () => 9),
      )
      .thenFn("wait", (n) => (n === 5 ? new Promise<number>((resolve) => setImmediate(resolve, n)) : n))
      .thenFn("last", (n): number => {
        if (n === 3) throw new Error("boom");
        return n * 2;
      });

    test("shows each circuit as it is mounted, with its nodes", () => {
      const { circuit } = watched(axon, { generate });

      assert.deepEqual(
        [circuit.name, circuit.version, circuit.nodes.map(({ id }) => id)],
        ["a", "1.0.0", ["a/first", "a/wait", "a/last", "a/first:high/cap"]],
      );
    });

    test("counts who was entered and who ended in a fault, and traces nothing", async () => {
      for (const production of [true, false]) {
        const { circuit, run, traces } = watched(axon, { generate, production });
        circuit.watch({ kind: "counted" });
        for (const input of [1, 5, 20, -1, 3]) await run(input);

        const counts = circuit.nodes.map(({ label }, i) => [
          label,
          circuit.counts.entered[i],
          circuit.counts.faulted[i],
        ]);
        assert.deepEqual(counts, [
          ["first", 5, 1],
          ["wait", 4, 0],
          ["last", 4, 1],
          ["cap", 1, 0],
        ]);
        assert.deepEqual(traces, []);
      }
    });

    test("counts the same where runs are traced", async () => {
      for (const level of [{ kind: "all" }, { kind: "sampled", every: 2 }] as WatchLevel[]) {
        const { circuit, run } = watched(axon, { generate });
        circuit.watch(level);
        for (const input of [1, 5, 20, -1, 3]) await run(input);

        assert.deepEqual([...circuit.counts.entered], [5, 4, 4, 1], level.kind);
        assert.deepEqual([...circuit.counts.faulted], [1, 0, 1, 0], level.kind);
      }
    });

    // W3: every nth, whoever is traced.
    test("traces one run of as many as it is told", () => {
      const { circuit, run, traces } = watched(axon, { generate });
      circuit.watch({ kind: "sampled", every: 3 });
      for (let n = 0; n < 10; n += 1) run(1);

      assert.equal(traces.length, 3);
      assert.throws(() => circuit.watch({ kind: "sampled", every: 0 }), { code: "CONFIG_INVALID" });
    });

    test("watches as closely as the closest of those who ask, until they ask for less", () => {
      const { circuit, run, traces } = watched(axon, { generate });
      const [one, other] = [{}, {}];
      const tracedOf = (level: WatchLevel, by: object): number => {
        circuit.watch(level, by);
        const before = traces.length;
        for (let n = 0; n < 12; n += 1) run(1);
        return traces.length - before;
      };

      assert.deepEqual(
        [
          tracedOf({ kind: "sampled", every: 4 }, one),
          tracedOf({ kind: "sampled", every: 6 }, other),
          tracedOf({ kind: "all" }, other),
          tracedOf({ kind: "off" }, one),
          tracedOf({ kind: "counted" }, other),
          tracedOf({ kind: "all" }, one),
        ],
        [3, 3, 12, 12, 0, 12],
      );
    });

    test("counts no fault where a step rejects after its run was aborted", async () => {
      const held: { reject?: (error: Error) => void } = {};
      const hanging = Axon.start<number>("a").thenFn(
        "hang",
        () =>
          new Promise<number>((_, reject) => {
            held.reject = reject;
          }),
      );
      const { circuit, program } = watched(hanging, { generate });
      circuit.watch({ kind: "counted" });
      const state = program.acquire();
      state.control = new RunControl();
      const running = program.run(1, state);
      state.control.abort("enough");
      held.reject?.(new Error("late"));

      assert.ok(isFault(await running));
      assert.deepEqual([circuit.counts.entered[0], circuit.counts.faulted[0]], [1, 0]);
    });

    test("tells nobody of runs that are traced for their dead letters alone", async () => {
      const letters = new MemoryDeadLetters();
      const kept = axon.withDlqSink(letters);
      const heard: (readonly [string, number, number])[] = [];
      for (const level of [undefined, ...levels]) {
        const { circuit, run, traces } = watched(kept, { generate });
        if (level !== undefined) circuit.watch(level);
        for (let n = 0; n < 4; n += 1) await run(-1);
        heard.push([level?.kind ?? "never asked", traces.length, circuit.counts.entered[0] as number]);
      }

      assert.deepEqual(heard, [
        ["never asked", 0, 0],
        ["off", 0, 0],
        ["counted", 0, 4],
        ["sampled", 2, 4],
        ["all", 4, 4],
      ]);
      assert.equal(letters.list().length, 20);
    });

    test("answers the same at every level", async () => {
      for (const level of levels) {
        const { circuit, run } = watched(axon, { generate });
        circuit.watch(level);
        for (const [input, expected] of [
          [1, 2],
          [5, 10],
          [20, 18],
          [1, 2],
        ])
          assert.equal(await run(input), expected, level.kind);
        assert.ok(isFault(await run(-1)));
        assert.ok(isFault(await run(3)));
      }
    });

    // W1: a run is what it began as.
    test("switched while runs wait, loses and mixes nothing", async () => {
      const { circuit, run, traces } = watched(
        Axon.start<number>("a")
          .thenFn("one", (n) => new Promise<number>((resolve) => setTimeout(resolve, n % 3, n)))
          .thenFn("two", (n) => new Promise<number>((resolve) => setImmediate(resolve, n))),
        { generate },
      );
      const running: unknown[] = [];
      let all = 0;
      for (let n = 0; n < 400; n += 1) {
        const level = levels[(n * 7) % 4] as WatchLevel;
        circuit.watch(level);
        if (level.kind === "all") all += 1;
        running.push(run(n));
        if (n % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      const outcomes = await Promise.all(running);

      assert.deepEqual(
        outcomes,
        Array.from({ length: 400 }, (_, n) => n),
      );
      assert.equal(traces.length, all);
      for (const { events } of traces)
        assert.deepEqual(events, [
          "node_enter a/one",
          "node_exit a/one",
          "node_enter a/two",
          "node_exit a/two",
        ]);
      assert.deepEqual(
        [...traces.map(({ outcome }) => outcome)].sort((a, b) => Number(a) - Number(b)),
        outcomes.filter((n) => ((n as number) * 7) % 4 === 3),
      );
    });

    test("times how long nodes of recorded runs hold the loop: until they answer or return a promise", async () => {
      for (const told of [{}, { event: () => {} }] as Recorder[]) {
        let now = 0;
        const clock = { now: () => now, after: () => () => {} };
        const work = <T>(ms: number, answer: T): T => {
          now += ms;
          return answer;
        };
        const timed = Axon.start<number>("a")
          .thenFn("plain", (n) => work(2, n))
          .thenFn("brief", (n) => work(1, n))
          .thenFn("later", async (n) => {
            work(3, n);
            await new Promise((resolve) => setImmediate(resolve));
            return work(500, n);
          })
          .thenFn("aside", (n) => work(4, branch("x", n)), { branches: ["x"] })
          .branch(
            "x",
            Axon.start<number>("x").thenFn("inner", (n) => work(5, n)),
          );
        const { circuit, run } = watched(timed, { generate, clock }, told);
        const { synchronous } = circuit.counts;
        circuit.watch({ kind: "counted" });
        await run(1);
        assert.deepEqual([...synchronous.calls], [0, 0, 0, 0, 0]);
        circuit.watch({ kind: "all" });
        for (const n of [1, 2]) await run(n);

        assert.deepEqual(
          circuit.nodes.map(({ label }, at) => [
            label,
            ...[
              synchronous.calls,
              synchronous.sumUs,
              synchronous.long,
              synchronous.longSumUs,
              synchronous.longestUs,
            ].map((of) => of[at]),
          ]),
          [
            ["plain", 2, 4000, 2, 4000, 2000],
            ["brief", 2, 2000, 0, 0, 0],
            ["later", 2, 6000, 2, 6000, 3000],
            ["aside", 2, 8000, 2, 8000, 4000],
            ["inner", 2, 10_000, 2, 10_000, 5000],
          ],
        );
      }
    });

    test("names the step that held the event loop, counted and traced", async () => {
      for (const kind of ["counted", "all"] as const) {
        const coarse = { 0: 1 };
        const hold = (name: string, ms: number) =>
          transition({
            name,
            run: (n: number) => {
              coarse[0] += ms;
              return n;
            },
          });
        const blocking = Axon.start<number>("a")
          .then(hold("quick", 49))
          .then(hold("slow", 50))
          .thenFn("b", (n) => branch("x", n), { branches: ["x"] })
          .branch("x", Axon.start<number>("x").then(hold("inner", 120)));
        const { circuit, run, reports } = watched(blocking, { generate, coarse });
        circuit.watch({ kind });
        await run(1);

        assert.deepEqual(
          reports.map(({ code, step }) => [code, step]),
          [
            ["LOOP_BLOCKED", "slow"],
            ["LOOP_BLOCKED", "inner"],
          ],
          kind,
        );
        assert.match(
          reports[0]?.message ?? "",
          /Step 'slow' of 'a' held the event loop for 50 ms, .*first awaits: .*docs\/offload\.md/,
        );
        const longest = [...circuit.counts.synchronous.longestUs];
        // A recorded run is timed by a real clock too, which a busy machine delays.
        if (kind === "counted") assert.deepEqual(longest, [0, 50_000, 0, 120_000]);
        else assert.ok((longest[1] ?? 0) >= 50_000 && (longest[3] ?? 0) >= 120_000, longest.join());
      }
    });
  });
}

describe("the coarse clock", () => {
  test("goes on by itself, and sees a step that holds the loop", async () => {
    const { coarseClock } = await import("#runtime/run/counters.js");
    const clock = coarseClock();
    while (clock[0] === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = clock[0];
    const end = performance.now() + 200;
    while (performance.now() < end);

    assert.ok(clock[0] - before >= 50, `${clock[0] - before}`);
    assert.equal(coarseClock(), clock);
  });

  test("stands still where a thread is refused at once", () => {
    const node = programArguments("native-tests/support/no-threads.ts");

    assert.equal(execFileSync(process.execPath, node, { encoding: "utf8" }), "0 true\n");
  });
});
