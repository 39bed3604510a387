// What every executor keeps of a run, and how it goes on with one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Bus } from "#core/bus.js";
import { busKey } from "#core/bus-key.js";
import { FencingToken, type LockProvider } from "#core/lock.js";
import { branch, fault, isFault, jump } from "#core/outcome.js";
import type { Report } from "#core/reporter.js";
import { type RunEntry, RunId, type RunStore } from "#core/run-store.js";
import type { RuntimeFault, ValueNotDurable } from "#core/runtime-fault.js";
import { transition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { ExecutionMode } from "#runtime/execution-mode.js";
import { fill } from "#runtime/in-process.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { MemoryDeadLetters } from "#runtime/memory-dead-letters.js";
import { MemoryLocks } from "#runtime/memory-locks.js";
import { MemoryRuns } from "#runtime/memory-runs.js";
import { Program } from "#runtime/program.js";
import { resumeIn } from "#runtime/resume.js";
import { RetryPolicy } from "#runtime/retry-policy.js";
import { RunControl } from "#runtime/run-control.js";
import { Total } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

const Db = busKey<{ readonly name: string }>()("Db");
const Note = busKey<string>()("Note");

const never = (): Promise<never> => new Promise(() => {});
const codeOf = (outcome: unknown): string => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return (outcome.error as RuntimeFault).code;
};

/** A store whose appends can be made to misbehave. */
class Runs implements RunStore {
  readonly inner = new MemoryRuns();
  /** Answers in the place of the store; undefined lets it answer itself. */
  misbehave: (known: number, entries: readonly RunEntry[]) => unknown = () => undefined;
  appends = 0;

  append(id: string, known: number, entries: readonly RunEntry[]) {
    this.appends += 1;
    const answer = this.misbehave(known, entries);
    return answer === undefined ? this.inner.append(id, known, entries) : (answer as boolean);
  }
  readonly read = this.inner.read;
  readonly unfinished = this.inner.unfinished;
  readonly remove = this.inner.remove;

  kinds(id = "run"): readonly string[] {
    return this.inner.read(id).map(({ kind }) => kind);
  }
  last(id = "run"): RunEntry | undefined {
    return this.inner.read(id).at(-1);
  }
}

export function persistenceContract(executor: Executor): void {
  const arranged = () => {
    const clock = new ManualClock();
    const runs = new Runs();
    const reports: Report[] = [];
    const options = {
      ...executor.options,
      clock,
      newId: () => "made",
      reporter: (report: Report) => void reports.push(report),
    };
    const programOf = (axon: AnyAxon): Program => {
      const program = new Program(axon.definition, options);
      if (executor.level !== undefined) program.watch?.watch(executor.level);
      return program;
    };
    const start = (axon: AnyAxon, input: unknown, { bus, signal, id = "run" }: Given = {}): unknown => {
      const program = programOf(axon);
      const state = program.acquire();
      fill(state, Bus.of([...(bus?.entries ?? []), ...(id === "" ? [] : [[RunId, id]])] as never) as never);
      if (signal === undefined) return program.run(input, state);
      state.control = new RunControl();
      state.control.follow(signal);
      return program.run(input, state);
    };
    const resume = (axon: AnyAxon, id = "run", bus?: Bus<any>): Promise<unknown> =>
      resumeIn(programOf(axon), id, bus as Bus);
    return { clock, runs, reports, start, resume, programOf };
  };
  interface Given {
    readonly bus?: Bus<any>;
    readonly signal?: AbortSignal;
    /** "" for one that is made. */
    readonly id?: string;
  }

  /** An Axon of named steps: each notes its call, and adds 1; `hangAt` never answers. */
  const line = (
    runs: Runs,
    names: readonly string[],
    world: { calls: string[]; hangAt?: string },
  ): AnyAxon => {
    let axon = Axon.start<number>("s").withPersistenceStore(runs) as unknown as AnyAxon;
    for (const name of names)
      axon = axon.thenFn(name, ((n: number) => {
        world.calls.push(`${name} ${n}`);
        return world.hangAt === name ? never() : n + 1;
      }) as never) as unknown as AnyAxon;
    return axon;
  };

  describe(`executor: ${executor.name}: persistence`, () => {
    test("keeps each step before the next begins, and stays synchronous with a store that is", () => {
      const { runs, start } = arranged();
      const seen: unknown[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            bus.set(Total, 10);
            return n + 1;
          },
          { writes: [Total] },
        )
        .thenFn(
          "two",
          (n, bus) => {
            seen.push(runs.kinds(), bus.get(RunId));
            return n + bus.get(Total);
          },
          { reads: [Total, RunId] },
        );

      assert.equal(start(axon as AnyAxon, 1), 12);
      assert.deepEqual(seen, [["begun", "checkpoint"], "run"]);
      assert.deepEqual(
        runs.inner.read("run").map(({ at, ...entry }) => entry),
        [
          { kind: "begun", axon: "s", version: "1.0.0", node: "s/one", input: 1, bus: {}, jumps: 0 },
          { kind: "checkpoint", node: "s/two", input: 2, bus: { Total: 10 }, jumps: 0, completed: [] },
          { kind: "ended", output: 12 },
        ],
      );
    });

    test("makes an id where none is given, and refuses one that is none", () => {
      const { runs, start } = arranged();
      const axon = line(runs, ["one"], { calls: [] });

      assert.equal(start(axon, 1, { id: "" }), 2);
      assert.deepEqual(runs.kinds("made"), ["begun", "ended"]);
      assert.equal(codeOf(start(axon, 1, { id: "x".repeat(201) })), "TRANSITION_PANIC");
    });

    test("goes on at the first step without a checkpoint, with what was on the Bus, and runs none again", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[], hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            world.calls.push("one");
            bus.set(Note, `was ${n}`);
            return new Date(n);
          },
          { writes: [Note] },
        )
        .thenFn("two", (date) => {
          world.calls.push("two");
          return world.hangs ? (never() as never) : { at: date, big: 2n };
        })
        .thenFn("three", ({ at, big }, bus) => [at.getTime(), big, bus.get(Note), bus.get(RunId)], {
          reads: [Note, RunId],
        }) as unknown as AnyAxon;
      void start(axon, 7);
      world.hangs = false;

      assert.deepEqual(await resume(axon), [7, 2n, "was 7", "run"]);
      assert.deepEqual(world.calls, ["one", "two", "two"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "resumed", "checkpoint", "ended"]);
    });

    test("answers the outcome of a run that is over, and runs nothing", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[] };
      const axon = line(runs, ["one"], world);
      start(axon, 1);
      const failing = Axon.start<number>("f")
        .withPersistenceStore(runs)
        .thenFn("no", () => fault({ kind: "no" })) as AnyAxon;
      start(failing, 1, { id: "failed" });
      const odd = Axon.start<number>("o")
        .withPersistenceStore(runs)
        .thenFn("odd", () => () => 1) as AnyAxon;
      start(odd, 1, { id: "odd" });

      assert.equal(await resume(axon), 2);
      assert.deepEqual(((await resume(failing, "failed")) as { error: unknown }).error, { kind: "no" });
      assert.equal(codeOf(await resume(odd, "odd")), "RUN_ENDED");
      assert.equal(codeOf(await resume(axon, "nobody's")), "RUN_UNKNOWN");
      assert.deepEqual(world.calls, ["one 1"]);
    });

    test("begins no second run under one id", () => {
      const { runs, start } = arranged();
      const world = { calls: [] as string[], hangAt: "two" };
      const axon = line(runs, ["one", "two"], world);
      void start(axon, 1);

      assert.equal(codeOf(start(axon, 5)), "RUN_TAKEN");
      assert.deepEqual(world.calls, ["one 1", "two 2"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
    });

    test("lets one of two who resume a run at once", async () => {
      const { runs, start, resume } = arranged();
      const world: { calls: string[]; hangAt?: string } = { calls: [], hangAt: "two" };
      const axon = line(runs, ["one", "two"], world);
      void start(axon, 1);
      delete world.hangAt;
      const outcomes = await Promise.all([resume(axon), resume(axon)]);

      assert.equal(outcomes.filter((outcome) => outcome === 3).length, 1);
      assert.equal(
        outcomes.filter((outcome) => isFault(outcome) && codeOf(outcome) === "RUN_TAKEN").length,
        1,
      );
      assert.equal(
        world.calls.filter((call) => call === "two 2").length,
        2,
        "the one that hung, and one more",
      );
    });

    test("stops a run that somebody else goes on with, and undoes nothing of it", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const open: ((n: number) => void)[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
        .thenFn("two", () => new Promise<number>((resolve) => open.push(resolve)))
        .thenFn("three", (n) => n) as AnyAxon;
      const first = start(axon, 1);
      const second = resume(axon);
      await new Promise(setImmediate);
      open[0]?.(10);

      assert.equal(codeOf(await first), "RUN_TAKEN");
      open[1]?.(20);
      assert.equal(await second, 20);
      assert.deepEqual(undone, []);
    });

    test("keeps what later steps use, and neither what none does nor what came from outside", async () => {
      const { runs, start, resume } = arranged();
      const Gone = busKey<() => void>()("Gone");
      const world = { hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenFn(
          "one",
          (n, bus) => {
            bus.set(Note, bus.get(Db).name);
            bus.set(Gone, () => {});
            return n;
          },
          { reads: [Db], writes: [Note, Gone] },
        )
        .thenFn(
          "two",
          (n, bus) => (world.hangs ? never() : `${n} ${bus.get(Note)} ${bus.get(Db).name}`) as string,
          { reads: [Note, Db] },
        ) as unknown as AnyAxon;
      void start(axon, 1, { bus: Bus.of([[Db, { name: "a" }]]) });
      world.hangs = false;

      assert.deepEqual((runs.last() as { bus?: unknown }).bus, { Note: "a" });
      await assert.rejects(resume(axon), { code: "KEYS_UNPROVIDED", message: /'Db' for step 'two'/ });
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      assert.equal(await resume(axon, "run", Bus.of([[Db, { name: "b" }]])), "1 a b");
    });

    test("ends as VALUE_NOT_DURABLE where a step answers or writes what cannot be kept, and undoes the rest", () => {
      const { runs, start } = arranged();
      const undone: string[] = [];
      const letters = new MemoryDeadLetters();
      const book = transition({ name: "book", run: (n: number) => n });
      const Conn = busKey<Map<string, () => void>>()("Conn");
      const answers = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(book, () => void undone.push("book"))
        .thenFn("odd", (n) => ({ lines: [{ n, call: () => n }] }))
        .thenFn("end", (x) => x)
        .withDlqSink(letters) as unknown as AnyAxon;
      const writes = Axon.start<number>("w")
        .withPersistenceStore(runs, { checkpoint: "async" })
        .thenFn(
          "odd",
          (n, bus) => {
            bus.set(Conn, new Map([["a", () => {}]]));
            return n;
          },
          { writes: [Conn] },
        )
        .thenFn("end", (n, bus) => n + bus.get(Conn).size, { reads: [Conn] }) as unknown as AnyAxon;
      const what = (outcome: unknown): unknown => {
        assert.equal(codeOf(outcome), "VALUE_NOT_DURABLE");
        const { axon, value, reason } = (outcome as { error: ValueNotDurable }).error;
        return [axon, value, reason];
      };

      assert.deepEqual(what(start(answers, 1)), ["s", "input.lines[0].call", "a function"]);
      assert.deepEqual(undone, ["book"]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "failed", "undone", "ended"]);
      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["s/odd", 1]],
      );
      assert.deepEqual(what(start(writes, 1, { id: "w" })), ["w", "Conn{}", "a function"]);
      const input = { n: Symbol("s") };
      assert.deepEqual(what(start(line(runs, ["one"], { calls: [] }), input, { id: "i" })), [
        "s",
        "input.n",
        "a symbol",
      ]);
      assert.deepEqual(runs.kinds("i"), []);
    });

    for (const [how, answer] of [
      ["throws", () => assert.fail("away")],
      ["rejects", () => Promise.reject(new Error("away"))],
      ["hangs", never],
    ] as const)
      test(`stops where the store ${how}, undoes nothing, keeps no letter, and can be resumed`, async () => {
        const { runs, start, resume, clock, reports } = arranged();
        const undone: string[] = [];
        const calls: string[] = [];
        const letters = new MemoryDeadLetters();
        const axon = Axon.start<number>("s")
          .withPersistenceStore(runs, { timeoutMs: 50 })
          .withDlqSink(letters)
          .thenCompensated(
            transition({ name: "one", run: (n: number) => n + 1 }),
            () => void undone.push("one"),
          )
          .thenFn("two", (n) => {
            calls.push(`two ${n}`);
            return n + 1;
          })
          .thenFn("three", (n) => n + 1) as AnyAxon;
        runs.misbehave = (_, [entry]) =>
          entry?.kind === "checkpoint" && entry.node === "s/three" ? answer() : undefined;
        const running = Promise.resolve(start(axon, 1));
        await clock.advance(60);

        assert.equal(codeOf(await running), "CHECKPOINT_FAILED");
        assert.deepEqual([undone, letters.list(), runs.kinds()], [[], [], ["begun", "checkpoint"]]);
        assert.deepEqual(
          reports.map(({ code }) => code),
          ["CHECKPOINT_LOST"],
        );
        runs.misbehave = () => undefined;
        assert.equal(await resume(axon), 4);
        assert.deepEqual(calls, ["two 2", "two 2"]);
        assert.equal(clock.timers, 0);
      });

    test("answers CHECKPOINT_FAILED too where the end of a run cannot be kept", async () => {
      const { runs, start, resume } = arranged();
      const world = { calls: [] as string[] };
      const axon = line(runs, ["one"], world);
      runs.misbehave = (_, [entry]) =>
        entry?.kind === "ended" ? Promise.reject(new Error("away")) : undefined;

      assert.equal(codeOf(await start(axon, 1)), "CHECKPOINT_FAILED");
      runs.misbehave = () => undefined;
      assert.equal(await resume(axon), 2);
    });

    test("is over in time where it is aborted while the store hangs", async () => {
      const { runs, start, clock } = arranged();
      const abort = new AbortController();
      const axon = line(runs, ["one", "two"], { calls: [] });
      runs.misbehave = (known) => (known === 1 ? never() : undefined);
      const running = Promise.resolve(start(axon, 1, { signal: abort.signal }));
      await clock.advance(0);
      abort.abort();
      await clock.advance(10_000);

      assert.equal(codeOf(await running), "CHECKPOINT_FAILED");
      assert.equal(clock.timers, 0);
    });

    test("keeps that a run was aborted: it is over", async () => {
      const { runs, start, resume, clock } = arranged();
      const abort = new AbortController();
      const undone: string[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
        .thenFn("hang", never) as AnyAxon;
      const running = Promise.resolve(start(axon, 1, { signal: abort.signal }));
      await clock.advance(0);
      abort.abort("enough");

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.deepEqual(undone, ["one"]);
      assert.equal(codeOf(await resume(axon)), "RUN_ABORTED");
    });

    test("undoes in a resumed run what was completed before it was stopped, with the Bus of then", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const undo = transition({
        name: "undo",
        reads: [Note, RunId],
        run: ({ input, output }: { input: number; output: { n: number } }, bus) =>
          void undone.push([input, output, bus.get(Note), bus.get(RunId)]),
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(
          transition({
            name: "one",
            writes: [Note],
            run: (n: number, bus) => {
              bus.set(Note, "kept");
              return { n };
            },
          }),
          undo as never,
        )
        .thenFn("two", () => (world.hangs ? never() : 2) as number)
        .thenFn("three", () => fault("no")) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.equal(((await resume(axon)) as { error: unknown }).error, "no");
      assert.deepEqual(undone, [[1, { n: 1 }, "kept", "run"]]);
    });

    test("goes on undoing where it was stopped, and stops undoing where the store fails", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const book = (name: string) => transition({ name, run: (n: number) => n });
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withDlqSink(letters)
        .thenCompensated(book("a"), () => void undone.push("a"))
        .thenCompensated(book("b"), async () => void undone.push("b"))
        .thenCompensated(book("c"), () => void undone.push("c"))
        .thenFn("no", () => fault({ kind: "no" })) as unknown as AnyAxon;
      runs.misbehave = (_, [entry]) =>
        entry?.kind === "undone" && entry.left === 1 ? assert.fail("away") : undefined;

      assert.equal(codeOf(await start(axon, 1)), "CHECKPOINT_FAILED");
      assert.deepEqual([undone, letters.list()], [["c", "b"], []]);
      runs.misbehave = () => undefined;
      assert.deepEqual(((await resume(axon)) as { error: unknown }).error, { kind: "no" });
      assert.deepEqual(undone, ["c", "b", "b", "a"]);
      // Nobody had sent it.
      assert.deepEqual(
        letters.list().map(({ id, node, input, error }) => [id, node, input, error]),
        [["run", "s/no", 1, { kind: "no" }]],
      );
      assert.deepEqual(runs.kinds().slice(-5), ["undone", "resumed", "undone", "undone", "ended"]);
    });

    test("goes on inside branches and subgraphs, and behind jumps, which still count", async () => {
      const { runs, start, resume } = arranged();
      const world: { hangAt?: string; calls: string[] } = { calls: [] };
      const step = (name: string) => (n: number) => {
        world.calls.push(name);
        return (world.hangAt === name ? never() : n + 1) as number;
      };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .label("again")
        .thenFn("turn", (n) => (n < 10 ? branch("side", n) : n), { branches: ["side"] })
        .branch("side", Axon.start<number>("b").thenFn("b1", step("b1")).thenFn("b2", step("b2")))
        .subgraph(Axon.start<number>("sub").thenFn("s1", step("s1")).thenFn("s2", step("s2")))
        .thenFn("back", (n) => (n < 10 ? jump("again", n) : n), { jumps: ["again"] })
        .withMaxJumps(2) as unknown as AnyAxon;
      for (const [hangAt, last] of [
        ["b2", "s/turn:side/b2"],
        ["s2", "s/sub/s2"],
      ] as const) {
        world.calls.length = 0;
        world.hangAt = hangAt;
        void start(axon, 1, { id: hangAt });
        assert.equal((runs.last(hangAt) as { node: string }).node, last);
        delete world.hangAt;

        // 1 and 5 and 9 go through the branch: one jump more than the run may take.
        assert.equal(await resume(axon, hangAt), 13);
        assert.equal(world.calls.filter((call) => call === "b1").length, 3);
        assert.equal((runs.inner.read(hangAt).at(-2) as { jumps: number }).jumps, 2);
      }
      const fewer = axon.withMaxJumps(1) as AnyAxon;
      world.hangAt = "b2";
      void start(fewer, 1, { id: "fewer" });
      delete world.hangAt;
      assert.equal(codeOf(await resume(fewer, "fewer")), "JUMP_LIMIT");
    });

    test("undoes in its process what cannot be kept, and sends its letter", async () => {
      const { runs, start } = arranged();
      const undone: unknown[] = [];
      const letters = new MemoryDeadLetters();
      const undo = ({ output }: { output: unknown }): void => void undone.push(typeof output);
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withDlqSink(letters)
        .thenCompensated(transition({ name: "one", run: (n: number) => ({ n, call: {} as unknown }) }), undo)
        .thenFn("no", (given) => {
          // Who changes what it was given changes what its letter says.
          given.call = () => 1;
          return fault("no");
        }) as unknown as AnyAxon;
      const odd = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: () => () => 1 }), undo)
        .thenFn("two", () => 2) as unknown as AnyAxon;

      assert.equal(((await start(axon, 1)) as { error: unknown }).error, "no");
      assert.deepEqual(
        letters.list().map(({ node }) => node),
        ["s/no"],
      );
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "failed", "undone", "ended"]);
      assert.equal(codeOf(start(odd, 1, { id: "odd" })), "VALUE_NOT_DURABLE");
      assert.deepEqual(undone, ["object", "function"]);
      assert.deepEqual(runs.kinds("odd"), ["begun", "failed", "undone", "ended"]);
    });

    test("runs a parallel step as one: it is completed with all of its steps, or runs again", async () => {
      const { runs, start, resume } = arranged();
      const world: { hangs: boolean; calls: string[] } = { hangs: true, calls: [] };
      const left = transition({
        name: "left",
        run: (n: number) => {
          world.calls.push("left");
          return n;
        },
      });
      const right = transition({
        name: "right",
        run: (n: number) => (world.hangs ? never() : n) as number,
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([left, right], "AllMustSucceed", ([a, b]) => a + b, { name: "both" })
        .thenFn("end", (n) => n) as unknown as AnyAxon;
      void start(axon, 2);
      world.hangs = false;

      assert.equal(await resume(axon), 4);
      assert.deepEqual(world.calls, ["left", "left"]);
      assert.deepEqual(runs.kinds(), ["begun", "resumed", "checkpoint", "ended"]);
    });

    /** The same store, whose answers come when `until` is there: that a run begins at once. */
    const slow = (runs: Runs, until: Promise<unknown> = Promise.resolve()): RunStore =>
      Object.assign(Object.create(runs) as Runs, {
        append: async (...args: Parameters<RunStore["append"]>) => {
          if (args[1] > 0) await until;
          return runs.append(...args);
        },
      });

    test("undoes after a stop what ran beside others with what each had on its own Bus", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const beside = (name: string) => {
        const undo = transition({
          name: `undo ${name}`,
          reads: [Note],
          run: (_: unknown, bus) => void undone.push([name, bus.get(Note)]),
        });
        const noting = transition({
          name,
          writes: [Note],
          run(n: number, bus) {
            bus.set(Note, `of ${name}`);
            return n;
          },
        });
        return Axon.start<number>(name)
          .thenCompensated(noting, undo as never)
          .asTransition();
      };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([beside("a"), beside("b")], "AllMustSucceed", () => 1)
        .thenFn("two", () => (world.hangs ? never() : fault("no"))) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.deepEqual(await resume(axon), fault("no"));
      assert.deepEqual(undone, [
        ["b", "of b"],
        ["a", "of a"],
      ]);
    });

    test("has failed once what a step ran by itself is undone, and goes on at that step before", async () => {
      const { runs, start, resume } = arranged();
      const calls: string[] = [];
      const stop = new AbortController();
      const world = { hangs: true };
      const inside = Axon.start<number>("inside")
        .thenCompensated(
          transition({
            name: "in",
            async run(n: number) {
              calls.push("in");
              return n;
            },
          }),
          () => {
            calls.push("undo in");
            return world.hangs ? never() : undefined;
          },
        )
        .thenFn("slow", (n) => (world.hangs ? never() : n) as number);
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(
          transition({ name: "one", run: (n: number) => n }),
          () => void calls.push("undo one"),
        )
        .thenWithRetry(inside.asTransition(), RetryPolicy.fixed(0, 0)) as unknown as AnyAxon;
      void start(axon, 1, { signal: stop.signal });
      await new Promise((resolve) => setImmediate(resolve));
      stop.abort(new Error("stop"));
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(
        [calls, runs.kinds()],
        [
          ["in", "undo in"],
          ["begun", "checkpoint"],
        ],
      );
      world.hangs = false;

      assert.equal(await resume(axon), 1);
      assert.deepEqual(calls, ["in", "undo in", "in"]);
    });

    test("leaves a run where it is while nobody gives what undoes its steps", async () => {
      const { runs, start, resume } = arranged();
      const undone: unknown[] = [];
      const world = { hangs: true };
      const undo = transition({
        name: "undo",
        reads: [Db],
        run: (_: unknown, bus) => void undone.push(bus.get(Db).name),
      });
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), undo)
        .thenFn("two", () => (world.hangs ? never() : fault("no"))) as unknown as AnyAxon;
      const bus = Bus.of([[Db, { name: "db" }]]);
      void start(axon, 1, { bus });
      world.hangs = false;

      await assert.rejects(resume(axon), {
        code: "KEYS_UNPROVIDED",
        message: /'Db' for what undoes step 'one'/,
      });
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      assert.deepEqual([await resume(axon, "run", bus), undone], [fault("no"), ["db"]]);
    });

    test("undoes no step again where one between them could not be kept", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const world = { hangs: true };
      const beside = (name: string, output: unknown) =>
        Axon.start<number>(name)
          .thenCompensated(transition({ name, run: (_: number) => output }), () => {
            undone.push(name);
            return world.hangs && name === "b" ? never() : undefined;
          })
          .asTransition();
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .parallel([beside("a", 1), beside("b", never), beside("c", 3)], "AllMustSucceed", () => 1)
        .thenFn("two", () => 1) as unknown as AnyAxon;
      void start(axon, 1);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(undone, ["c", "b"]);
      world.hangs = false;

      assert.equal(codeOf(await resume(axon)), "VALUE_NOT_DURABLE");
      assert.deepEqual(undone, ["c", "b", "a"]);
    });

    test("waits for no asynchronous checkpoint but the first, and keeps those that come meanwhile together", async () => {
      const { runs, start, reports } = arranged();
      const batches: string[][] = [];
      runs.misbehave = (_, entries) => {
        batches.push(entries.map(({ kind }) => kind));
        return undefined;
      };
      const axon = line(runs, ["one", "two", "three", "four"], { calls: [] }).withPersistenceStore(
        slow(runs, new Promise(setImmediate)),
        { checkpoint: "async" },
      ) as AnyAxon;

      assert.equal(await start(axon, 1), 5);
      assert.deepEqual(batches, [["begun"]]);
      await new Promise(setImmediate);
      assert.deepEqual(batches, [["begun"], ["checkpoint"], ["checkpoint", "checkpoint", "ended"]]);
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "checkpoint", "checkpoint", "ended"]);
      assert.equal(codeOf(await start(axon, 1)), "RUN_TAKEN");
      runs.misbehave = () => assert.fail("away");
      assert.equal(codeOf(await start(axon, 1, { id: "other" })), "CHECKPOINT_FAILED");
      assert.equal(reports.length, 1);
    });

    test("holds a run up where too many asynchronous checkpoints wait", async () => {
      const { runs, start } = arranged();
      const world = { calls: [] as string[] };
      let open: () => void = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      const names = Array.from({ length: 100 }, (_, i) => `step ${i}`);
      const axon = line(runs, names, world).withPersistenceStore(slow(runs, opened), {
        checkpoint: "async",
      }) as AnyAxon;
      const running = start(axon, 0);
      await new Promise(setImmediate);

      assert.equal(world.calls.length, 65);
      open();
      assert.equal(await running, 100);
      await new Promise(setImmediate);
      assert.equal(runs.kinds().length, 101);
    });

    test("reports an asynchronous checkpoint that fails, goes on, and keeps it with the next", () => {
      const { runs, start, reports } = arranged();
      const axon = line(runs, ["one", "two", "three"], { calls: [] }).withPersistenceStore(runs, {
        checkpoint: "async",
      }) as AnyAxon;
      runs.misbehave = () => (runs.appends === 2 ? assert.fail("away") : undefined);

      assert.equal(start(axon, 1), 4);
      assert.deepEqual(
        reports.map(({ code }) => code),
        ["CHECKPOINT_LOST"],
      );
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint", "checkpoint", "ended"]);
    });

    test("goes on without checkpoints where nobody can tell which were kept, or the store stays away", () => {
      for (const [expected, misbehave] of [
        // Kept, and not said: the next append is refused.
        [
          ["begun", "checkpoint"],
          (runs: Runs) => (known: number, entries: readonly RunEntry[]) => {
            if (runs.appends !== 2) return undefined;
            runs.inner.append("run", known, entries);
            return assert.fail("away");
          },
        ],
        [["begun"], (runs: Runs) => () => (runs.appends >= 2 ? assert.fail("away") : undefined)],
      ] as const) {
        const { runs, start, reports } = arranged();
        const names = Array.from({ length: 100 }, (_, i) => `step ${i}`);
        const axon = line(runs, names, { calls: [] }).withPersistenceStore(runs, {
          checkpoint: "async",
        }) as AnyAxon;
        runs.misbehave = misbehave(runs);

        assert.equal(start(axon, 0), 100);
        assert.deepEqual(runs.kinds(), expected);
        assert.match(String(reports.at(-1)?.message), /goes on without them/);
        assert.ok(runs.appends < 70, "it does not try for ever");
      }
    });

    test("aborts a run with asynchronous checkpoints that somebody else goes on with, and undoes nothing", async () => {
      const { runs, start, resume } = arranged();
      const undone: string[] = [];
      const open: ((n: number) => void)[] = [];
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs, { checkpoint: "async" })
        .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
        .thenFn("two", () => new Promise<number>((resolve) => open.push(resolve)))
        .thenFn("three", (n) => n) as AnyAxon;
      const first = start(axon, 1);
      const second = resume(axon);
      await new Promise(setImmediate);
      open[0]?.(10);

      assert.equal(codeOf(await first), "RUN_TAKEN");
      open[1]?.(20);
      assert.equal(await second, 20);
      assert.deepEqual(undone, []);
    });

    test("goes on from its start where no checkpoints are kept", async () => {
      const { runs, start, resume } = arranged();
      const world: { calls: string[]; hangAt?: string } = { calls: [], hangAt: "two" };
      const axon = line(runs, ["one", "two"], world).withPersistenceStore(runs, {
        checkpoint: "none",
      }) as AnyAxon;
      void start(axon, 1);
      delete world.hangAt;

      assert.equal(await resume(axon), 3);
      assert.deepEqual(world.calls, ["one 1", "two 2", "one 1", "two 2"]);
      assert.deepEqual(runs.kinds(), ["begun", "resumed", "ended"]);
    });

    test("begins a log where a run begins in the middle", async () => {
      const { runs, programOf } = arranged();
      const axon = line(runs, ["one", "two"], { calls: [] });
      const program = programOf(axon);

      assert.equal(await program.runFrom("s/two")(5, program.acquire()), 6);
      assert.equal((runs.inner.read("made")[0] as { node: string }).node, "s/two");
    });

    test("keeps nothing of a run whose input is refused", async () => {
      const { Type } = await import("framework");
      const { runs, start } = arranged();
      const axon = Axon.start("s", Type.Number()).withPersistenceStore(runs) as AnyAxon;

      assert.equal(
        codeOf(start(axon.thenFn("one", ((n: number) => n) as never) as AnyAxon, "x")),
        "INPUT_INVALID",
      );
      assert.equal(runs.appends, 0);
    });

    test("resumes under the Axon's lock, and leaves a run where it is while that is taken", async () => {
      const { runs, start, resume, clock } = arranged();
      const locks = new MemoryLocks({ clock });
      const world = { hangs: true };
      const axon = Axon.start<number>("s")
        .withPersistenceStore(runs)
        .withExecutionMode(ExecutionMode.singleton("k", 300, locks))
        .thenFn("one", (n) => n)
        .thenFn("two", (n, bus) => (world.hangs ? never() : [n, bus.get(FencingToken)]) as number[], {
          reads: [FencingToken],
        }) as unknown as AnyAxon;
      void start(axon, 1);
      world.hangs = false;

      assert.equal(codeOf(await resume(axon)), "LOCK_TAKEN");
      assert.deepEqual(runs.kinds(), ["begun", "checkpoint"]);
      // The process that held it is gone: nobody renews it.
      const after = new MemoryLocks({ clock });
      const elsewhere = axon.withExecutionMode(ExecutionMode.singleton("k", 300, after)) as AnyAxon;
      assert.deepEqual(await resume(elsewhere), [1, 1]);
      assert.equal(await resume(elsewhere, "nobody's").then(codeOf), "RUN_UNKNOWN");
      assert.ok(after.acquire("k", 1), "given back by both");
    });

    test("stops where the Axon's lock is lost: it is aborted, and neither undone nor over", async () => {
      const { runs, start, resume, clock } = arranged();
      const locks = new MemoryLocks({ clock });
      const undone: string[] = [];
      const world = { hangs: true };
      const axonWith = (provider: LockProvider) =>
        Axon.start<number>("s")
          .withPersistenceStore(runs)
          .withExecutionMode(ExecutionMode.singleton("k", 300, provider))
          .thenCompensated(transition({ name: "one", run: (n: number) => n }), () => void undone.push("one"))
          .thenFn("two", (n) => (world.hangs ? never() : n + 1) as number) as unknown as AnyAxon;
      const losing = { ...locks, acquire: locks.acquire, release: locks.release, renew: () => false };
      const running = Promise.resolve(start(axonWith(losing), 1));
      await clock.advance(100);
      world.hangs = false;

      assert.equal(codeOf(await running), "RUN_ABORTED");
      assert.deepEqual([undone, runs.kinds()], [[], ["begun", "checkpoint"]]);
      assert.equal(await resume(axonWith(locks)), 2);
    });
  });
}
