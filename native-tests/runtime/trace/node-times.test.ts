// The time of a node is that of its call: what its run waits for between nodes is no node's time.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, ExecutionMode, type Timeline, transition } from "framework";
import { ManualClock, MemoryDeadLetters, RetryPolicy } from "framework/runtime";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { LockProvider } from "#core/ports/lock.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { NodeSpan, Recorder, TracedRun, WatchedCircuit } from "#core/timeline/recorder.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { generators } from "../../support/code-generation.js";

const APPEND_MS = 60;
const APPEND_US = APPEND_MS * 1000;

/** A store whose appends take 60 ms of the clock. */
function slowRuns(clock: ManualClock): RunStore & { readonly kinds: string[] } {
  const runs = new MemoryRuns();
  const kinds: string[] = [];
  const append = (id: string, known: number, entries: readonly RunEntry[], by?: string) =>
    new Promise<boolean | { readonly cancel: { readonly at: number; readonly reason: string } }>(
      (resolve) => {
        clock.after(APPEND_MS, () => {
          kinds.push(...entries.map(({ kind }) => kind));
          resolve(runs.append(id, known, entries, by) as boolean);
        });
      },
    );
  return Object.assign(Object.create(runs) as MemoryRuns, { append, kinds });
}

const wait = (clock: ManualClock, ms: number): Promise<void> =>
  new Promise((resolve) => clock.after(ms, resolve));

interface Seen {
  readonly timeline: Timeline;
  readonly outcome: unknown;
  readonly circuit: WatchedCircuit;
}

/** Runs it once, traced, until its end. */
async function traced(
  axon: Pick<AnyAxon, "definition">,
  input: unknown,
  {
    clock,
    generate,
    tells = {},
  }: { clock: Pick<ManualClock, "now" | "after" | "advance">; generate: boolean; tells?: Recorder },
): Promise<Seen> {
  let timeline: Timeline | undefined;
  let circuit: WatchedCircuit | undefined;
  const recorder: Recorder = {
    ...tells,
    mounted: (mounted) => {
      circuit = mounted;
      mounted.watch({ kind: "all" });
    },
    ended: (run) => {
      timeline = run.timeline;
    },
  };
  const program = new Program(axon.definition, { recorder, clock, generate, newId: () => "run" });
  const running = Promise.resolve(program.run(input, program.acquire()));
  await clock.advance(100_000);
  return { outcome: await running, timeline: timeline as Timeline, circuit: circuit as WatchedCircuit };
}

/** The nodes that were left, with their times in milliseconds. */
const nodes = ({ events }: Timeline): readonly string[] =>
  events.flatMap((event) =>
    event.kind === "node_exit" ? [`${event.node} ${event.duration_us / 1000}`] : [],
  );

/** The waits, with their ends and their lengths in milliseconds. */
const waits = ({ events }: Timeline): readonly string[] =>
  events.flatMap((event) =>
    event.kind === "waited"
      ? [`${event.reason} ${event.node} ${event.waited_us / 1000} until ${event.at_us / 1000}`]
      : [],
  );

const synchronous = ({ circuit }: Seen): readonly number[] => [...circuit.counts.synchronous.sumUs];

const add = (clock: ManualClock, name: string, ms = 0) =>
  transition({ name, run: async (n: number) => (ms > 0 ? wait(clock, ms).then(() => n + 1) : n + 1) });

for (const generate of generators)
  describe(`times of nodes, ${generate ? "generated" : "looped"}`, () => {
    const kept = (
      axon: Axon<any, any, any, any, any, any, any, any, any>,
      clock: ManualClock,
      options = {},
    ) => {
      const store = slowRuns(clock);
      return { axon: axon.withPersistenceStore(store, options), store };
    };

    test("a checkpoint is no time of the step before or after it, and a part of its own", async () => {
      const clock = new ManualClock();
      const steps = Axon.start<number>("a")
        .thenFn("one", (n) => n + 1)
        .then(add(clock, "two", 5))
        .thenFn("three", (n) => n + 1);
      const seen = await traced(kept(steps, clock).axon, 0, { clock, generate });

      assert.equal(seen.outcome, 3);
      assert.deepEqual(nodes(seen.timeline), ["a/one 0", "a/two 5", "a/three 0"]);
      assert.deepEqual(waits(seen.timeline), [
        "checkpoint a/one 60 until 60",
        "checkpoint a/two 60 until 120",
        "checkpoint a/three 60 until 185",
        "checkpoint a/three 60 until 245",
      ]);
      assert.deepEqual(synchronous(seen), [0, 0, 0]);
    });

    test("a run that does not wait for its checkpoints waits for its begin alone", async () => {
      for (const checkpoint of ["async", "none"] as const) {
        const clock = new ManualClock();
        const steps = Axon.start<number>("a")
          .thenFn("one", (n) => n + 1)
          .then(add(clock, "two", 5));
        const { axon, store } = kept(steps, clock, { checkpoint });
        const { timeline, outcome } = await traced(axon, 0, { clock, generate });

        const end = checkpoint === "none" ? ["checkpoint a/two 60 until 125"] : [];
        assert.equal(outcome, 2);
        assert.deepEqual(nodes(timeline), ["a/one 0", "a/two 5"]);
        assert.deepEqual(waits(timeline), ["checkpoint a/one 60 until 60", ...end]);
        assert.deepEqual(store.kinds.at(-1), "ended");
      }
    });

    test("what runs between nodes without a promise is no node's time: a store that blocks, the subject", async () => {
      const clock = new ManualClock();
      const time = { ms: 0 };
      const blocking = { after: clock.after, now: () => time.ms, advance: clock.advance.bind(clock) };
      const runs = Object.assign(Object.create(new MemoryRuns()) as MemoryRuns, {
        append: () => {
          time.ms += APPEND_MS;
          return true;
        },
      });
      const steps = Axon.start<number>("a")
        .thenFn("one", (n) => n + 1)
        .withSubject((n) => {
          time.ms += 7;
          return String(n);
        });
      const seen = await traced(steps, 0, { clock: blocking, generate });
      const stored = await traced(steps.withPersistenceStore(runs), 0, { clock: blocking, generate });

      for (const each of [seen, stored]) {
        assert.deepEqual(nodes(each.timeline), ["a/one 0"]);
        assert.deepEqual(synchronous(each), [0]);
      }
    });

    test("a store that answers at once adds no event", async () => {
      const clock = new ManualClock();
      const axon = Axon.start<number>("a")
        .thenFn("one", (n) => n + 1)
        .withPersistenceStore(new MemoryRuns());
      const { timeline } = await traced(axon, 0, { clock, generate });

      assert.deepEqual(waits(timeline), []);
    });

    test("the wait for a lock is no time of the first step, in an Axon and in one inside it", async () => {
      const clock = new ManualClock();
      const provider: LockProvider = {
        acquire: (key) => wait(clock, 30).then(() => ({ key, token: 1 })),
        renew: () => true,
        release: () => true,
      };
      const locked = (name: string) =>
        Axon.start<number>(name)
          .thenFn("one", (n) => n + 1)
          .withExecutionMode(ExecutionMode.singleton(name, 1000, provider));
      const outer = Axon.start<number>("a")
        .then(locked("in").asTransition())
        .thenFn("two", (n) => n + 1);

      const own = await traced(locked("a"), 0, { clock, generate });
      assert.deepEqual(nodes(own.timeline), ["a/one 0"]);
      assert.deepEqual(waits(own.timeline), ["lock a:in 30 until 30"]);
      assert.deepEqual(synchronous(own), [0]);
      const inner = await traced(outer, 0, { clock, generate });
      assert.deepEqual(nodes(inner.timeline), ["a/in/one 0", "a/in 30", "a/two 0"]);
      assert.deepEqual(waits(inner.timeline), ["lock a/in:in 30 until 30"]);
    });

    test("in a subgraph the steps have their own times, and the subgraph is entered before its first checkpoint", async () => {
      const clock = new ManualClock();
      const inner = Axon.start<number>("in")
        .then(add(clock, "x", 1))
        .thenFn("y", (n) => n + 1);
      const steps = Axon.start<number>("a")
        .then(inner.asTransition())
        .thenFn("z", (n) => n + 1);
      const { timeline } = await traced(kept(steps, clock).axon, 0, { clock, generate });

      assert.deepEqual(nodes(timeline), ["a/in/x 1", "a/in/y 0", "a/in 121", "a/z 0"]);
      assert.deepEqual(waits(timeline), [
        "checkpoint a/in/x 60 until 60",
        "checkpoint a/in/y 60 until 121",
        "checkpoint a/z 60 until 181",
        "checkpoint a/z 60 until 241",
      ]);
    });

    test("parallel steps of a kept run are timed without the checkpoint before them", async () => {
      const clock = new ManualClock();
      const steps = Axon.start<number>("a")
        .parallel([add(clock, "left", 5), add(clock, "right", 9)], "AllMustSucceed", ([l, r]) => l + r, {
          name: "both",
        })
        .thenFn("sum", (n: number) => n);
      const { timeline, outcome } = await traced(kept(steps, clock).axon, 0, { clock, generate });

      assert.equal(outcome, 2);
      assert.deepEqual(nodes(timeline), ["a/both/left 5", "a/both/right 9", "a/both 9", "a/sum 0"]);
    });

    test("a retried step has the pause between its tries, and no checkpoint", async () => {
      const clock = new ManualClock();
      let tries = 0;
      const flaky = transition({
        name: "flaky",
        run: (n: number) => {
          tries += 1;
          if (tries === 1) throw new Error("once");
          return n + 1;
        },
      });
      const steps = Axon.start<number>("a").thenWithRetry(flaky, RetryPolicy.fixed(1, 40));
      const seen = await traced(kept(steps, clock).axon, 0, { clock, generate });

      assert.equal(seen.outcome, 1);
      assert.deepEqual(nodes(seen.timeline), ["a/flaky 40"]);
      assert.deepEqual(synchronous(seen), [0]);
    });

    test("a layer has the waits of the run inside it; the step has none", async () => {
      const clock = new ManualClock();
      const around = {
        layer: { name: "around", run: (_: unknown, next: () => unknown) => next() },
        occurrence: 0,
      };
      const { axon } = kept(
        Axon.start<number>("a").thenFn("one", (n) => n + 1),
        clock,
      );
      const layered = { definition: { ...axon.definition, layers: [around] } };
      const { timeline } = await traced(layered, 0, { clock, generate });

      assert.deepEqual(nodes(timeline), ["a/one 0", "a:layer/around 120"]);
    });

    test("a span of a node begins behind the checkpoint", async () => {
      const clock = new ManualClock();
      const begun: string[] = [];
      const span: NodeSpan = {
        placeIn: (given) => given,
        run: (call) => call(),
        failed: () => {},
        tried: () => span,
        branched: () => {},
        worked: () => {},
        left: (_, __, at_us) => void begun.push(`left ${at_us}`),
      };
      const steps = Axon.start<number>("a")
        .thenFn("one", (n) => n + 1)
        .thenFn("two", (n) => n + 1);
      const tells: Recorder = {
        span: (_, node, __, at_us) => {
          begun.push(`${node} ${at_us}`);
          return span;
        },
      };
      await traced(kept(steps, clock).axon, 0, { clock, generate, tells });

      assert.deepEqual(begun, [
        `a/one ${APPEND_US}`,
        `left ${APPEND_US}`,
        `a/two ${2 * APPEND_US}`,
        `left ${2 * APPEND_US}`,
      ]);
    });

    test("what a failed run writes is told behind its last node, and is in its dead letter", async () => {
      const clock = new ManualClock();
      const letters = new MemoryDeadLetters();
      const charge = transition({ name: "charge", run: (n: number) => n + 1 });
      const undo = transition({ name: "refund", run: () => undefined });
      const fails = transition({
        name: "fails",
        run: (): number => {
          throw new Error("broken");
        },
      });
      const steps = Axon.start<number>("a").thenCompensated(charge, undo).then(fails).withDlqSink(letters);
      const { timeline } = await traced(kept(steps, clock).axon, 0, { clock, generate });

      assert.deepEqual(nodes(timeline), ["a/charge 0", "a/fails 0"]);
      assert.deepEqual(waits(timeline), [
        "checkpoint a/charge 60 until 60",
        "checkpoint a/fails 60 until 120",
        "checkpoint a/fails 60 until 180",
        "checkpoint a/fails 60 until 240",
        "checkpoint a/fails 60 until 300",
      ]);
      const [letter] = letters.list() as unknown as readonly DeadLetter[];
      assert.equal(letter?.timeline?.events.filter(({ kind }) => kind === "waited").length, 4);
    });

    test("a run that is aborted while it waits for its lock ends with that wait", async () => {
      const clock = new ManualClock();
      const seen: TracedRun[] = [];
      const provider: LockProvider = {
        acquire: () => new Promise(() => {}),
        renew: () => true,
        release: () => true,
      };
      const axon = Axon.start<number>("a")
        .thenFn("one", (n) => n + 1)
        .withExecutionMode(ExecutionMode.singleton("a", 1000, provider));
      clock.after(20, () => {
        assert.deepEqual(seen[0]?.waitsAt, ["a:in"]);
        seen[0]?.abort(new Error("enough"));
      });
      const { timeline } = await traced(axon, 0, {
        ...{ clock, generate },
        tells: { begun: (run) => void seen.push(run) },
      });

      assert.deepEqual(nodes(timeline), []);
      assert.deepEqual(waits(timeline), ["lock a:in 20 until 20"]);
      assert.deepEqual(seen[0]?.waitsAt, []);
    });
  });
