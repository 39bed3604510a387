// What every executor does with what comes late: steps that wait one after the other,
// and what is still under way when a run was aborted or a time is up.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey } from "#core/bus/bus-key.js";
import { eventKind } from "#core/bus/event.js";
import { emit, fault, isFault, jump } from "#core/bus/outcome.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { Program } from "#runtime/compile/program.js";
import { RetryPolicy } from "#runtime/definition/retry-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { type Executor, runOnce } from "../support/executors.js";

const Secret = busKey<string>()("Secret");
const Told = eventKind<number>()("told");

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (n: number): Promise<void> => {
  for (let i = 0; i < n; i += 1) await turn();
};
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));
const codeOf = (outcome: unknown): string => {
  assert.ok(isFault(outcome), `a fault, not ${String(outcome)}`);
  return (outcome.error as RuntimeFault).code;
};

export function lateContract(executor: Executor): void {
  const run = (axon: AnyAxon, input?: unknown, signal?: AbortSignal, options = {}) =>
    runOnce(axon, input, { ...executor, options: { ...executor.options, ...options } }, signal);
  /** As most runs are: nobody from outside controls it. */
  const uncontrolled = (axon: AnyAxon) => {
    const program = new Program(axon.definition, executor.options);
    if (executor.level !== undefined) program.watch?.watch(executor.level);
    return (input?: unknown) => program.run(input, program.acquire());
  };

  describe(`executor: ${executor.name}: late`, () => {
    test("answers the last step's value where a step after a promise asks for the signal", async () => {
      const axon = Axon.start<number>("a")
        .thenFn("one", (n) => later(n))
        .thenFn("two", (n, bus) => (bus.signal.aborted ? n : later(n + 1)))
        .thenFn("three", (n) => later(n + 1));

      assert.equal(await uncontrolled(axon)(1), 3);
    });

    test("answers the last step's value where a step after a promise has a time limit, retries or company", async () => {
      const slow = transition({ name: "slow", run: (n: number) => later(n + 1) });
      const begin = Axon.start<number>("a").thenFn("one", (n) => later(n));
      const step = Axon.start<number>("s").then(slow).asTransition();

      assert.equal(await uncontrolled(begin.thenWithTimeout(slow, 1000))(1), 2);
      assert.equal(await uncontrolled(begin.thenWithRetry(step, RetryPolicy.fixed(1, 0)))(1), 2);
      assert.equal(
        await uncontrolled(begin.parallel([slow, step], "AllMustSucceed", ([a, b]) => a + b))(1),
        4,
      );
    });

    test("counts the jumps of steps beside each other together", async () => {
      const twice = Axon.start<number>("twice")
        .label("again")
        .thenFn("jump", (n) => (n < 2 ? jump("again", n + 1) : n), { jumps: ["again"] })
        .asTransition();
      const axon = Axon.start<number>("a").parallel([twice, twice], "AllMustSucceed", ([a, b]) => a + b);

      assert.equal((await run(axon.withMaxJumps(4), 0)).outcome, 4);
      assert.equal(codeOf((await run(axon.withMaxJumps(3), 0)).outcome), "JUMP_LIMIT");
    });

    test("keeps the letter of a run that could have been aborted", async () => {
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("a")
        .thenFn("no", (n) => (n > 0 ? fault("no") : n))
        .withDlqSink(letters);
      await run(axon, 1, new AbortController().signal);

      assert.deepEqual(
        letters.list().map(({ node }) => node),
        ["a/no"],
      );
    });

    test("begins no further try once the time around the tries is up", async () => {
      const clock = new ManualClock();
      let calls = 0;
      const shaky = transition({
        name: "shaky",
        run: async (_: number) => {
          calls += 1;
          await new Promise<void>((resolve) => clock.after(20, resolve));
          return fault("no");
        },
      });
      for (const delayMs of [0, 5]) {
        calls = 0;
        const inner = Axon.start<number>("i").thenWithRetry(shaky, RetryPolicy.fixed(5, delayMs));
        const running = run(Axon.start<number>("a").thenWithTimeout(inner.asTransition(), 10), 1, undefined, {
          clock,
        });
        await clock.advance(1000);

        assert.equal(codeOf((await running).outcome), "STEP_TIMEOUT");
        assert.equal(calls, 1);
        assert.equal(clock.timers, 0);
      }
    });

    test("answers STEP_TIMEOUT where the time is found to be up between two steps, after waiting too", async () => {
      const { after } = new ManualClock();
      let now = 0;
      const inner = Axon.start<number>("i")
        .thenFn("wait", (n) => later(n))
        .thenFn("block", (n) => {
          now += 50;
          return n;
        })
        .thenFn("never", (n) => n);
      const axon = Axon.start<number>("a").thenWithTimeout(inner.asTransition(), 10);
      const ran = await run(axon, 1, undefined, { clock: { now: () => now, after } });

      assert.equal(codeOf(ran.outcome), "STEP_TIMEOUT");
    });

    test("undoes a step with a time limit that completes after its run was aborted", async () => {
      const lines: string[] = [];
      const charge = transition({
        name: "charge",
        run: async (n: number) => {
          await turns(3);
          lines.push("+charge");
          return n;
        },
      });
      const controller = new AbortController();
      const axon = Axon.start<number>("a")
        .thenWithTimeout(charge, 1000)
        .compensateWith(() => void lines.push("-charge"));
      const running = run(axon, 1, controller.signal);
      setImmediate(() => controller.abort());

      assert.equal(codeOf((await running).outcome), "RUN_ABORTED");
      await turns(6);
      assert.deepEqual(lines, ["+charge", "-charge"]);
    });

    test("undoes a part whose last step aborts the run, and completes", async () => {
      const lines: string[] = [];
      const controller = new AbortController();
      const inner = Axon.start<number>("i")
        .thenCompensated({ name: "book", run: (n: number) => n }, () => void lines.push("-book"))
        .thenFn("last", async (n) => {
          await turn();
          controller.abort();
          return n;
        });
      const axon = Axon.start<number>("a")
        .thenCompensated({ name: "first", run: (n: number) => n }, () => void lines.push("-first"))
        .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0));

      assert.equal(codeOf((await run(axon, 1, controller.signal)).outcome), "RUN_ABORTED");
      await turn();
      assert.deepEqual(lines, ["-book", "-first"]);
    });

    test("undoes what runs inside before what was completed around it, however the run ends", async () => {
      for (const end of ["abort", "time limit"]) {
        const clock = new ManualClock();
        const lines: string[] = [];
        const controller = new AbortController();
        const undo = (name: string) => async () => {
          lines.push(`begin -${name}`);
          await turn();
          lines.push(`end -${name}`);
        };
        const inner = Axon.start<number>("i")
          .thenCompensated({ name: "in", run: (n: number) => n }, undo("in"))
          .thenFn("hang", () => new Promise<number>(() => {}));
        const axon = Axon.start<number>("a")
          .thenCompensated({ name: "out", run: (n: number) => n }, undo("out"))
          .thenWithTimeout(inner.asTransition(), 10);
        const running = run(axon, 1, controller.signal, { clock });
        await turn();
        if (end === "abort") controller.abort();
        await clock.advance(10);
        await running;

        assert.deepEqual(lines, ["begin -in", "end -in", "begin -out", "end -out"], end);
      }
    });

    test("undoes a try whose time is up before the next begins", async () => {
      const clock = new ManualClock();
      const lines: string[] = [];
      const inner = Axon.start<number>("i")
        .thenFn("note", (n) => {
          lines.push("+book");
          return n;
        })
        .thenCompensated({ name: "book", run: (n: number) => n }, async () => {
          await turn();
          lines.push("-book");
        })
        .thenFn("hang", () => new Promise<number>(() => {}));
      const limited = Axon.start<number>("l").thenWithTimeout(inner.asTransition(), 10);
      const axon = Axon.start<number>("a").thenWithRetry(limited.asTransition(), RetryPolicy.fixed(1, 0));
      const running = run(axon, 1, undefined, { clock });
      for (let i = 0; i < 4; i += 1) await clock.advance(10);
      await running;

      assert.deepEqual(lines, ["+book", "-book", "+book", "-book"]);
    });

    test("merges nothing once the run was aborted", async () => {
      const controller = new AbortController();
      let merged = 0;
      const merge = () => {
        merged += 1;
        return 0;
      };
      const hang = transition({ name: "hang", run: () => new Promise<number>(() => {}) });
      const running = run(
        Axon.start<number>("a").parallel([hang], "AnyCanFail", merge),
        1,
        controller.signal,
      );
      controller.abort();
      const second = new AbortController();
      const aborting = transition({ name: "abort", run: () => second.abort() });
      const ended = await run(
        Axon.start<number>("a").parallel([aborting, hang], "AnyCanFail", merge),
        1,
        second.signal,
      );
      await running;
      await turn();

      assert.equal(codeOf(ended.outcome), "RUN_ABORTED");
      assert.equal(merged, 0);
    });

    test("closes the Bus of a compensation when that has ended", async () => {
      const buses: { find(key: typeof Secret): string | undefined }[] = [];
      const axon = Axon.start<number>("a")
        .thenFn(
          "write",
          (n, bus) => {
            bus.set(Secret, `secret of ${n}`);
            return n;
          },
          { writes: [Secret] },
        )
        .thenCompensated(
          { name: "book", run: (n: number) => n },
          transition({ name: "undo", reads: [Secret], run: (_: unknown, bus) => void buses.push(bus) }),
        )
        .thenFn("no", (n) => (n === 1 ? fault("no") : n))
        .thenFn("look", (n) => {
          buses[0]?.find(Secret);
          return n;
        });
      const again = uncontrolled(axon);
      await again(1);
      const outcome = await again(2);

      assert.equal(codeOf(outcome), "TRANSITION_PANIC");
      assert.equal((outcome as { error: { cause: { code: string } } }).error.cause.code, "BUS_RELEASED");
    });

    test("answers what the last step of a subgraph does, though that step aborts the run", async () => {
      const controller = new AbortController();
      const inner = Axon.start<number>("i").thenFn("last", (n) => {
        controller.abort();
        return n + 1;
      });

      const empty = Axon.start<number>("empty");
      const axon = Axon.start<number>("a").subgraph(inner).subgraph(empty);

      assert.equal((await run(axon, 1, controller.signal)).outcome, 2);
    });

    test("leaves no unhandled rejection of the value that an undeclared event was emitted before", async () => {
      const unhandled: unknown[] = [];
      const note = (error: unknown): void => void unhandled.push(error);
      process.on("unhandledRejection", note);
      try {
        const step = { name: "u", run: () => emit(Told, 1, Promise.reject(new Error("late"))) } as never;
        const axon = Axon.start<number>("a").then(step);

        assert.equal(codeOf((await run(axon, 1)).outcome), "TRANSITION_UNDECLARED");
        await turns(2);
        assert.deepEqual(unhandled, []);
      } finally {
        process.off("unhandledRejection", note);
      }
    });

    test("takes what a step writes while its event's value is pending as written", async () => {
      const write = transition({
        name: "write",
        writes: [Secret],
        emits: [Told],
        run: (n: number, bus) =>
          emit(
            Told,
            n,
            turn().then(() => {
              bus.set(Secret, "s");
              return n;
            }),
          ),
      });
      const axon = Axon.start<number>("a").then(write as never) as AnyAxon;

      assert.equal((await run(axon, 1)).outcome, 1);
    });
  });

  describe(`executor: ${executor.name}: the letter of a run`, () => {
    const failing = transition({ name: "p", run: (_: number) => fault("p") });

    test("names the step that jumped once too often, and none that failed before and was put up with", async () => {
      const letters = new MemoryDeadLetters();
      const axon = Axon.start<number>("a")
        .parallel([failing], "AnyCanFail", () => 7)
        .label("again")
        .thenFn("jump", (n) => jump("again", n + 1), { jumps: ["again"] })
        .withMaxJumps(2)
        .withDlqSink(letters);
      assert.equal(codeOf((await run(axon, 1)).outcome), "JUMP_LIMIT");

      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["a/jump", 9]],
      );
    });

    test("is none where what fails is no step, though one failed before and was put up with", async () => {
      const letters = new MemoryDeadLetters();
      const awaited = new Map([[Secret, { run: () => fault("not provided") }]]);
      const axon = Axon.start<number>("a")
        .parallel([failing], "AnyCanFail", () => 7)
        .thenFn("reads", (n, bus) => bus.find(Secret) ?? n, { mayRead: [Secret] })
        .withDlqSink(letters);
      const { outcome } = await run(axon, 1, undefined, { awaited });

      assert.ok(isFault(outcome));
      assert.equal(outcome.error, "not provided");
      assert.deepEqual(letters.list(), []);
    });

    test("is none where the run was aborted inside a step", async () => {
      const letters = new MemoryDeadLetters();
      const controller = new AbortController();
      const inner = Axon.start<number>("i")
        .thenFn("abort", () => controller.abort())
        .thenFn("never", () => 1);
      const axon = Axon.start<number>("a")
        .thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0))
        .withDlqSink(letters);

      assert.equal(codeOf((await run(axon, 1, controller.signal)).outcome), "RUN_ABORTED");
      assert.deepEqual(letters.list(), []);
    });

    test("is kept where reading a step's answer throws", async () => {
      const letters = new MemoryDeadLetters();
      const answer = Object.defineProperty({}, "then", {
        get: () => {
          throw new Error("getter");
        },
      });
      const axon = Axon.start<number>("a")
        .thenFn("odd", () => answer)
        .withDlqSink(letters);
      await run(axon, 5);

      assert.deepEqual(
        letters.list().map(({ node, input }) => [node, input]),
        [["a/odd", 5]],
      );
    });
  });
}
