// What every executor does with steps made of steps: subgraphs, parallel ones, and
// those that are tried again or have a time limit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey } from "#core/bus-key.js";
import { eventKind } from "#core/event.js";
import { branch, emit, fault, isFault, jump } from "#core/outcome.js";
import type { RuntimeFault, TransitionPanic } from "#core/runtime-fault.js";
import { transition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { ManualClock } from "#runtime/manual-clock.js";
import { Program } from "#runtime/program.js";
import { RetryPolicy } from "#runtime/retry-policy.js";
import { type Executor, type Ran, runOnce } from "../support/executors.js";

const Total = busKey<number>()("Total");
const Told = eventKind<number>()("told");

const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const errorOf = ({ outcome }: Ran): unknown => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return outcome.error;
};
const codeOf = (ran: Ran): string => (errorOf(ran) as RuntimeFault).code;
const plain = (error: unknown): object => ({ ...(error as object) });

/** A step that answers what the list says, one after the other; a function is called. */
const scripted = (name: string, answers: readonly unknown[]) => {
  const script = { calls: 0 };
  const run = (): unknown => {
    const answer = answers[Math.min(script.calls, answers.length - 1)];
    script.calls += 1;
    return typeof answer === "function" ? answer() : answer;
  };
  return { script, step: { name, run } as never };
};

export function compositeContract(executor: Executor): void {
  const run = (axon: AnyAxon, input?: unknown, signal?: AbortSignal) =>
    runOnce(axon, input, executor, signal);
  const clocked = () => {
    const clock = new ManualClock();
    const timed = { ...executor, options: { ...executor.options, clock } };
    return {
      clock,
      run: (axon: AnyAxon, input?: unknown, signal?: AbortSignal) => runOnce(axon, input, timed, signal),
    };
  };

  describe(`executor: ${executor.name}: subgraph`, () => {
    const write = transition({
      name: "write",
      writes: [Total],
      run: (n: number, bus) => {
        bus.set(Total, n);
        return n + 1;
      },
    });
    const inner = Axon.start<number>("inner")
      .then(write)
      .thenFn("twice", (n) => n * 2);

    test("runs in the place of a step, on the same Bus", async () => {
      const axon = Axon.start<number>("outer")
        .thenFn("a", (n) => n + 1)
        .subgraph(inner)
        .thenFn("read", (n, bus) => n + bus.get(Total), { reads: [Total] });
      const ran = await run(axon, 1);

      assert.equal(ran.outcome, 8);
      assert.ok(ran.sync);
      assert.equal(ran.bus["Total"], 2);
    });

    test("keeps its labels and branches to itself", async () => {
      const looping = Axon.start<number>("looping")
        .label("again")
        .thenFn("add", (n) => n + 1)
        .thenFn("check", (n) => (n < 5 ? jump("again", n) : n > 8 ? branch("high", n) : n), {
          jumps: ["again"],
          branches: ["high"],
        })
        .branch(
          "high",
          Axon.start<number>("high").thenFn("cap", () => 8),
        )
        .label("end");
      const axon = Axon.start<number>("outer")
        .label("again")
        .thenFn("first", (n) => n)
        .subgraph(looping)
        .thenFn("last", (n) => n * 10);

      assert.equal((await run(axon, 0)).outcome, 50);
      assert.equal((await run(axon, 20)).outcome, 80);
    });

    test("may be empty, the last, the first, twice, and nested", async () => {
      const empty = Axon.start<number>("empty");
      const nested = Axon.start<number>("nested").subgraph(empty).subgraph(inner);

      assert.equal((await run(Axon.start<number>("o").subgraph(empty), 3)).outcome, 3);
      assert.equal((await run(Axon.start<number>("o").subgraph(inner).subgraph(inner), 1)).outcome, 10);
      assert.equal(
        (
          await run(
            Axon.start<number>("o")
              .subgraph(nested)
              .thenFn("x", (n) => n),
            1,
          )
        ).outcome,
        4,
      );
    });

    test("can be jumped over and jumped to", async () => {
      const axon = Axon.start<number>("o")
        .thenFn("skip", (n) => (n === 0 ? jump("after", n) : n), { jumps: ["after"] })
        .label("sub")
        .subgraph(inner)
        .label("after")
        .thenFn("again", (n) => (n > 0 && n < 10 ? jump("sub", n) : n), { jumps: ["sub"] });

      assert.equal((await run(axon, 0)).outcome, 0);
      assert.equal((await run(axon, 1)).outcome, 10);
    });

    test("ends the run with its fault, checks its schemas, and sends its events outwards", async () => {
      const { Type } = await import("@sinclair/typebox");
      const events: unknown[] = [];
      const telling = Axon.start("telling", Type.Number({ minimum: 0 })).thenFn(
        "tell",
        (n) => (n === 0 ? fault("zero") : emit(Told, n, n)),
        { emits: [Told] },
      );
      const axon = Axon.start<number>("o")
        .subgraph(telling)
        .withEventSink({ send: (e) => events.push(e.payload) });

      assert.equal(errorOf(await run(axon, 0)), "zero");
      assert.equal(codeOf(await run(axon, -1)), "INPUT_INVALID");
      assert.equal((await run(axon, 2)).outcome, 2);
      assert.deepEqual(events, [2]);
    });

    test("is the same where it stands in several Axons", async () => {
      const one = Axon.start<number>("one").subgraph(inner);
      const two = Axon.start<number>("two")
        .thenFn("b", (n) => branch("i", n), { branches: ["i"] })
        .branch("i", inner);

      assert.equal((await run(one, 1)).outcome, 4);
      assert.equal((await run(two, 1)).outcome, 4);
      assert.equal((await run(inner, 1)).outcome, 4);
    });
  });

  describe(`executor: ${executor.name}: parallel`, () => {
    const add = (name: string, by: number, ms?: number) =>
      transition({ name, run: (n: number) => (ms === undefined ? n + by : after(ms, n + by)) as number });

    test("gives every answer to merge, in the order of the steps", async () => {
      const axon = Axon.start<number>("p").parallel(
        [add("slow", 1, 8), add("fast", 2, 1), add("now", 3)],
        "AllMustSucceed",
        (results, input) => [input, ...results],
      );
      const ran = await run(axon, 1);

      assert.deepEqual(ran.outcome, [1, 2, 3, 4]);
    });

    test("answers at once where all do", async () => {
      const axon = Axon.start<number>("p").parallel(
        [add("a", 1), add("b", 2)],
        "AllMustSucceed",
        ([a, b]) => a + b,
      );
      const ran = await run(axon, 1);

      assert.deepEqual([ran.outcome, ran.sync], [5, true]);
    });

    test("runs its steps at the same time", async () => {
      const order: string[] = [];
      const step = (name: string, ms: number) =>
        transition({
          name,
          run: async (n: number) => {
            order.push(`${name} begins`);
            await after(ms, 0);
            order.push(`${name} ends`);
            return n;
          },
        });
      const axon = Axon.start<number>("p").parallel(
        [step("a", 10), step("b", 1)],
        "AllMustSucceed",
        ([a]) => a,
      );
      await run(axon, 1);

      assert.deepEqual(order, ["a begins", "b begins", "b ends", "a ends"]);
    });

    test("shows each step the Bus as it was, and drops what they write", async () => {
      const seen: unknown[] = [];
      const write = (name: string, n: number) =>
        transition({
          name,
          mayRead: [Total],
          mayWrite: [Total],
          run: async (_: number, bus) => {
            seen.push(bus.find(Total));
            bus.set(Total, n);
            await turn();
            seen.push(bus.find(Total));
            return n;
          },
        });
      const axon = Axon.start<number>("p")
        .thenFn(
          "before",
          (n, bus) => {
            bus.set(Total, 7);
            return n;
          },
          { writes: [Total] },
        )
        .parallel([write("a", 1), write("b", 2)], "AllMustSucceed", (results) => results)
        .thenFn("after", (_, bus) => bus.get(Total), { reads: [Total] });

      assert.equal((await run(axon, 0)).outcome, 7);
      assert.deepEqual(seen, [7, 7, 1, 2]);
    });

    test("ends with the first fault, and aborts the rest", async () => {
      const aborted: unknown[] = [];
      const hang = transition({
        name: "hang",
        run: (_: number, bus) =>
          new Promise<number>(() =>
            bus.signal.addEventListener("abort", () => aborted.push(bus.signal.reason.message)),
          ),
      });
      const never = transition({
        name: "never",
        run: (n: number) => void aborted.push("ran") as unknown as number & typeof n,
      });
      const late = transition({ name: "late", run: () => after(1, fault("late")) });
      const now = transition({ name: "now", run: () => fault("now") });

      assert.equal(
        errorOf(
          await run(
            Axon.start<number>("p").parallel([hang, late], "AllMustSucceed", () => 0),
            1,
          ),
        ),
        "late",
      );
      assert.equal(
        errorOf(
          await run(
            Axon.start<number>("p").parallel([hang, now, never], "AllMustSucceed", () => 0),
            1,
          ),
        ),
        "now",
      );
      assert.deepEqual(aborted, ["A step beside it failed", "A step beside it failed"]);
    });

    test("gives faults to merge too where any may fail", async () => {
      const broken = transition({
        name: "broken",
        run: (): number => {
          throw new Error("boom");
        },
      });
      const refusing = transition({ name: "refusing", run: async () => fault("no" as const) });
      const axon = Axon.start<number>("p").parallel(
        [add("a", 1), broken, refusing],
        "AnyCanFail",
        (results) =>
          results.map((result) =>
            isFault(result) ? ((result.error as RuntimeFault).code ?? result.error) : result,
          ),
      );

      assert.deepEqual((await run(axon, 1)).outcome, [2, "TRANSITION_PANIC", "no"]);
    });

    test("names the step that threw, and itself where merge throws", async () => {
      const broken = transition({
        name: "broken",
        run: (): number => {
          throw new Error("boom");
        },
      });
      const throwing = (ms?: number) =>
        Axon.start<number>("p").parallel(
          [add("a", 1, ms)],
          "AllMustSucceed",
          (): number => {
            throw new Error("merge");
          },
          { name: "both" },
        );

      assert.equal(
        (
          errorOf(
            await run(
              Axon.start<number>("p").parallel([broken], "AllMustSucceed", ([a]) => a),
              1,
            ),
          ) as { step: string }
        ).step,
        "broken",
      );
      for (const ms of [undefined, 1])
        assert.equal((errorOf(await run(throwing(ms), 1)) as { step: string }).step, "both");
    });

    test("takes what merge answers as a step's answer", async () => {
      const merging = (merge: () => unknown) =>
        run(
          Axon.start<number>("p")
            .parallel([add("a", 1)], "AllMustSucceed", merge)
            .thenFn("x", (n) => n),
          1,
        );

      assert.equal((await merging(async () => 5)).outcome, 5);
      assert.equal(errorOf(await merging(() => fault("no"))), "no");
      assert.equal(codeOf(await merging(() => branch("x", 1))), "TRANSITION_UNDECLARED");
    });

    test("ends with its run, and tells its steps", async () => {
      const controller = new AbortController();
      const told: string[] = [];
      const hang = (name: string) =>
        transition({
          name,
          run: (_: number, bus) =>
            new Promise<number>(() => bus.signal.addEventListener("abort", () => told.push(name))),
        });
      const ran = run(
        Axon.start<number>("p").parallel([hang("a"), hang("b")], "AnyCanFail", () => 0),
        1,
        controller.signal,
      );
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.deepEqual(told, ["a", "b"]);
    });

    test("makes a value once that is made at first read, null too", async () => {
      const None = busKey<null>()("None");
      let made = 0;
      const make = () => {
        made += 1;
        return null;
      };
      const read = (name: string) =>
        transition({ name, reads: [None], run: (_: number, bus) => turn().then(() => bus.get(None)) });
      const axon = Axon.start<number>("p").parallel(
        [read("a"), read("b"), read("c")],
        "AllMustSucceed",
        (all) => all.length,
      );
      const supply = { constants: new Map(), lazy: new Map([[None, make]]) };
      const program = new Program(axon.definition, { ...executor.options, supply });
      if (executor.level !== undefined) program.watch?.watch(executor.level);

      assert.equal(await program.run(1, program.acquire()), 3);
      assert.equal(made, 1);
    });

    test("runs Axons beside each other, their jumps and branches inside", async () => {
      const sum = Axon.start<number>("sum")
        .label("again")
        .thenFn("add", (n) => after(1, n + 1))
        .thenFn("check", (n) => (n < 4 ? jump("again", n) : n), { jumps: ["again"] });
      const axon = Axon.start<number>("p").parallel(
        [sum.asTransition(), add("b", 10)],
        "AllMustSucceed",
        ([a, b]) => a + b,
      );

      assert.equal((await run(axon, 1)).outcome, 15);
    });

    test("counts jumps for the whole run", async () => {
      const forever = Axon.start<number>("f")
        .label("a")
        .thenFn("j", (n) => jump("a", n), { jumps: ["a"] });
      const axon = Axon.start<number>("p").parallel(
        [forever.asTransition(), forever.asTransition()],
        "AnyCanFail",
        (results) => results.map((r) => isFault(r) && (r.error as RuntimeFault).code),
      );

      assert.deepEqual((await run(axon.withMaxJumps(5), 1)).outcome, ["JUMP_LIMIT", "JUMP_LIMIT"]);
    });
  });

  describe(`executor: ${executor.name}: retry`, () => {
    const retrying = (answers: readonly unknown[], policy: RetryPolicy) => {
      const { script, step } = scripted("shaky", answers);
      return {
        script,
        axon: Axon.start<number>("r")
          .thenWithRetry(step, policy)
          .thenFn("end", (n) => n) as AnyAxon,
      };
    };
    const boom = () => {
      throw new Error("boom");
    };

    test("tries again until the step answers, and at once without a delay", async () => {
      const { script, axon } = retrying([fault("a"), boom, 5], RetryPolicy.fixed(2, 0));
      const ran = await run(axon, 1);

      assert.deepEqual([ran.outcome, ran.sync, script.calls], [5, true, 3]);
    });

    test("tries again after rejections, and faults that come later", async () => {
      const { axon } = retrying(
        [() => Promise.reject(new Error("no")), async () => fault("b"), async () => 5],
        RetryPolicy.fixed(2, 0),
      );

      assert.equal((await run(axon, 1)).outcome, 5);
    });

    test("ends with the last fault", async () => {
      const { script, axon } = retrying([fault("a"), fault("b"), fault("c")], RetryPolicy.fixed(1, 0));

      assert.equal(errorOf(await run(axon, 1)), "b");
      assert.equal(script.calls, 2);
      const thrown = errorOf(await run(retrying([boom], RetryPolicy.fixed(3, 0)).axon, 1)) as TransitionPanic;
      assert.deepEqual(
        [thrown.code, thrown.step, String(thrown.cause)],
        ["TRANSITION_PANIC", "shaky", "Error: boom"],
      );
    });

    test("can be tried very often without nesting", async () => {
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(100_000, 0));
      await run(axon, 1);

      assert.equal(script.calls, 100_001);
    });

    test("waits as the policy says", async () => {
      const { clock, run } = clocked();
      const { script, axon } = retrying([fault("a")], RetryPolicy.exponential(3, 100, 2, 250));
      const calls: number[] = [];
      const ran = run(axon, 1);
      for (const ms of [99, 1, 199, 1, 249, 1]) {
        await clock.advance(ms);
        calls.push(script.calls);
      }

      assert.deepEqual(calls, [1, 2, 2, 3, 3, 4]);
      assert.equal(errorOf(await ran), "a");
      assert.equal(clock.timers, 0);
    });

    test("retries what its predicate wants, and ends with a panic where that throws", async () => {
      const some = RetryPolicy.fixed(5, 0).retryIf((error) => error === "again");
      const { script, axon } = retrying([fault("again"), fault("enough")], some);
      const broken = retrying([fault("a")], RetryPolicy.fixed(5, 0).retryIf(boom));

      assert.equal(errorOf(await run(axon, 1)), "enough");
      assert.equal(script.calls, 2);
      assert.equal(codeOf(await run(broken.axon, 1)), "TRANSITION_PANIC");
    });

    test("begins no try after its deadline", async () => {
      const { clock, run } = clocked();
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(100, 10).deadline(35));
      const ran = run(axon, 1);
      await clock.advance(100);

      assert.equal(errorOf(await ran), "a");
      assert.equal(script.calls, 4);
    });

    test("does not retry what a retry inside has given up on", async () => {
      const { script, step } = scripted("shaky", [fault("a")]);
      const inner = Axon.start<number>("inner").thenWithRetry(step, RetryPolicy.fixed(2, 0));
      const outer = Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(5, 0));

      assert.equal(errorOf(await run(outer, 1)), "a");
      assert.equal(script.calls, 3);
      // A fault made ahead of time is fresh in the next run.
      await run(outer, 1);
      assert.equal(script.calls, 6);
    });

    test("runs a subgraph whole again", async () => {
      const seen: string[] = [];
      const { step } = scripted("shaky", [fault("a"), 1]);
      const inner = Axon.start<number>("inner")
        .thenFn("first", (n) => {
          seen.push("first");
          return n;
        })
        .then(step);
      const outer = Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(1, 0));

      assert.equal((await run(outer, 1)).outcome, 1);
      assert.deepEqual(seen, ["first", "first"]);
    });

    test("waits no longer than its run", async () => {
      const { clock, run } = clocked();
      const controller = new AbortController();
      const { script, axon } = retrying([fault("a")], RetryPolicy.fixed(5, 1000));
      const ran = run(axon, 1, controller.signal);
      await clock.advance(500);
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.equal(clock.timers, 0);
      await clock.advance(5000);
      assert.equal(script.calls, 1);
    });

    test("waits also where nobody could abort the run", async () => {
      const { script, axon } = retrying([fault("a"), 2], RetryPolicy.fixed(5, 1));
      const { Program } = await import("#runtime/program.js");
      const program = new Program(axon.definition, executor.options);

      assert.equal(await program.run(1, program.acquire()), 2);
      assert.equal(script.calls, 2);
    });

    test("sends no event of a try that failed", async () => {
      const events: unknown[] = [];
      const { step } = scripted("tell", [emit(Told, 1, fault("no")), emit(Told, 2, Promise.resolve(5))]);
      const axon = Axon.start<number>("r")
        .thenWithRetry({ ...(step as object), emits: [Told] } as never, RetryPolicy.fixed(1, 0))
        .withEventSink({ send: (event) => events.push(event.payload) });

      assert.equal((await run(axon, 1)).outcome, 5);
      assert.deepEqual(events, [2]);
    });
  });

  describe(`executor: ${executor.name}: time limit`, () => {
    const slow = (ms: number, clock: ManualClock, late: unknown[] = []) =>
      transition({
        name: "slow",
        mayWrite: [Total],
        run: (n: number, bus) =>
          new Promise<number>((resolve) => {
            bus.signal.addEventListener("abort", () => late.push(["aborted", bus.signal.reason.message]));
            clock.after(ms, () => {
              try {
                bus.set(Total, n);
                late.push("wrote");
              } catch (error) {
                late.push((error as { code: string }).code);
              }
              resolve(n);
            });
          }),
      });

    test("lets an answer in time pass, and leaves no timer", async () => {
      const { clock, run } = clocked();
      const ran = run(Axon.start<number>("t").thenWithTimeout(slow(9, clock), 10), 3);
      await clock.advance(9);

      assert.equal((await ran).outcome, 3);
      assert.equal(clock.timers, 0);
    });

    test("ends the run with STEP_TIMEOUT, fires the step's signal, and shuts its Bus", async () => {
      const { clock, run } = clocked();
      const late: unknown[] = [];
      const ran = run(Axon.start<number>("t").thenWithTimeout(slow(20, clock, late), 10), 3);
      await clock.advance(10);
      const ended = await ran;
      await clock.advance(10);

      assert.deepEqual(plain(errorOf(ended)), { code: "STEP_TIMEOUT", step: "slow", timeoutMs: 10 });
      assert.deepEqual(late, [["aborted", "Step 'slow' took longer than 10 ms"], "BUS_RELEASED"]);
      assert.equal(ended.bus["Total"], undefined);
    });

    test("does not hear a step that rejects after it", async () => {
      const { clock, run } = clocked();
      const step = transition({
        name: "late",
        run: (_: number) =>
          new Promise<number>((_, reject) => clock.after(20, () => reject(new Error("late")))),
      });
      const ran = run(Axon.start<number>("t").thenWithTimeout(step, 10), 3);
      await clock.advance(30);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
    });

    test("never settling is no trouble", async () => {
      const { clock, run } = clocked();
      const ran = run(
        Axon.start<number>("t")
          .thenWithTimeout({ name: "hang", run: () => new Promise<number>(() => {}) }, 10)
          .thenFn("x", (n) => n),
        3,
      );
      await clock.advance(10);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
    });

    test("takes a synchronous answer, and what it throws, as they are", async () => {
      const throwing = transition({
        name: "t",
        run: (): number => {
          throw new Error("boom");
        },
      });

      assert.ok(
        (await run(Axon.start<number>("t").thenWithTimeout({ name: "s", run: (n: number) => n }, 10), 3))
          .sync,
      );
      assert.equal(
        codeOf(await run(Axon.start<number>("t").thenWithTimeout(throwing, 10), 3)),
        "TRANSITION_PANIC",
      );
    });

    test("ends a subgraph between two of its steps, where no timer can fire", async () => {
      const seen: string[] = [];
      const inner = Axon.start<number>("inner")
        .thenFn("long", (n) => n)
        .thenFn("second", (n) => void seen.push(String(n)));
      const { after } = new ManualClock();
      // Each look at it takes 6 ms.
      let now = 0;
      const clock = {
        now: () => {
          now += 6;
          return now;
        },
        after,
      };
      const timed = { ...executor, options: { ...executor.options, clock } };
      const ran = await runOnce(Axon.start<number>("t").thenWithTimeout(inner.asTransition(), 10), 1, timed);

      assert.equal(codeOf(ran), "STEP_TIMEOUT");
      assert.deepEqual(seen, []);
    });

    test("ends with its run, and leaves no timer", async () => {
      const { clock, run } = clocked();
      const controller = new AbortController();
      const ran = run(
        Axon.start<number>("t").thenWithTimeout(
          { name: "hang", run: () => new Promise<number>(() => {}) },
          10,
        ),
        3,
        controller.signal,
      );
      controller.abort();

      assert.equal(codeOf(await ran), "RUN_ABORTED");
      assert.equal(clock.timers, 0);
    });

    test("is each try's own", async () => {
      const { clock, run } = clocked();
      const inner = Axon.start<number>("inner").thenWithTimeout(slow(20, clock), 10);
      const ran = run(
        Axon.start<number>("outer").thenWithRetry(inner.asTransition(), RetryPolicy.fixed(2, 5)),
        1,
      );
      await clock.advance(100);

      assert.equal(codeOf(await ran), "STEP_TIMEOUT");
      assert.equal(clock.timers, 0);
    });
  });
}
