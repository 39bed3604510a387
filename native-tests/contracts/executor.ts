// What every executor does with every outcome. One suite, run by each of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { busKey } from "#core/bus-key.js";
import { eventKind } from "#core/event.js";
import { branch, emit, Fault, fault, isFault, jump, next, pass } from "#core/outcome.js";
import type { RuntimeFault } from "#core/runtime-fault.js";
import { transition } from "#core/transition.js";
import { Axon } from "#runtime/axon.js";
import type { AnyAxon } from "#runtime/axon-types.js";
import { type Executor, runOnce } from "../support/executors.js";

const Total = busKey<number>()("Total");
const Accepted = eventKind<number>()("accepted");

const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(resolve, ms, value));

/** A thenable that is no promise, as a query builder is. */
const foreign = <T>(then: (resolve: (value: T) => void, reject: (error: unknown) => void) => void): any => ({
  then,
});

const codeOf = (outcome: unknown): RuntimeFault["code"] => {
  assert.ok(isFault(outcome), `a fault, not ${JSON.stringify(outcome)}`);
  return (outcome.error as RuntimeFault).code;
};

export function executorContract(executor: Executor): void {
  const run = (axon: AnyAxon, input?: unknown, signal?: AbortSignal) =>
    runOnce(axon, input, executor, signal);

  describe(`executor: ${executor.name}`, () => {
    test("gives each step what the one before answered", async () => {
      const axon = Axon.start<number>("sums")
        .thenFn("add", (n) => n + 1)
        .thenFn("double", (n) => next(n * 2));

      assert.equal((await run(axon, 1)).outcome, 4);
    });

    test("answers an Axon without steps with its input", async () => {
      assert.equal((await run(Axon.start<string>("empty"), "as it is")).outcome, "as it is");
    });

    test("answers at once when every step does", async () => {
      const axon = Axon.start<number>("sync")
        .thenFn("a", (n) => n)
        .thenFn("b", (n) => n);

      assert.ok((await run(axon, 1)).sync);
    });

    test("answers later when a step does, whichever it is", async () => {
      for (const slow of [0, 1, 2]) {
        let axon = Axon.start<number>("async");
        for (const at of [0, 1, 2]) {
          axon = axon.thenFn(`s${at}`, (n) =>
            at === slow ? (after(1, n + 1) as unknown as number) : n + 1,
          ) as typeof axon;
        }
        const ran = await run(axon, 0);

        assert.deepEqual([ran.outcome, ran.sync], [3, false]);
      }
    });

    test("passes values that are nothing, false or zero", async () => {
      for (const value of [undefined, null, false, 0, "", Number.NaN, 0n]) {
        assert.deepEqual(
          (
            await run(
              Axon.start("v")
                .thenFn("make", () => value)
                .thenFn("keep", (v) => v),
            )
          ).outcome,
          value,
        );
      }
    });

    test("takes data with a `then` that is no function as data", async () => {
      const data = { then: "later" };
      const axon = Axon.start("v")
        .thenFn("make", () => data)
        .thenFn("keep", (v) => v);
      const ran = await run(axon);

      assert.equal(ran.outcome, data);
      assert.ok(ran.sync);
    });

    test("waits for thenables that are no promises", async () => {
      const axon = Axon.start("v").thenFn("make", () => foreign<number>((resolve) => resolve(1)));

      assert.equal((await run(axon)).outcome, 1);
    });

    test("waits for functions that are thenables", async () => {
      const callable = Object.assign(() => 0, { then: (resolve: (n: number) => void) => resolve(2) });
      const axon = Axon.start("v").thenFn("make", () => callable as unknown as number);

      assert.equal((await run(axon)).outcome, 2);
    });

    test("hears a thenable once, whatever it does after", async () => {
      const seen: number[] = [];
      const twice = foreign<number>((resolve, reject) => {
        resolve(1);
        resolve(2);
        reject(new Error("too late"));
        throw new Error("too late as well");
      });
      const axon = Axon.start("v")
        .thenFn("make", () => twice as number)
        .thenFn("see", (n) => void seen.push(n));
      await run(axon);

      assert.deepEqual(seen, [1]);
    });

    test("ends with the first fault and runs nothing after it", async () => {
      const seen: string[] = [];
      const axon = Axon.start("f")
        .thenFn("refuse", () => fault({ kind: "no" }))
        .thenFn("never", () => void seen.push("never"));
      const { outcome } = await run(axon);

      assert.deepEqual(isFault(outcome) && outcome.error, { kind: "no" });
      assert.deepEqual(seen, []);
    });

    test("makes a fault of what a step throws, with the step's name", async () => {
      const boom = new Error("boom");
      const axon = Axon.start<number>("p")
        .thenFn("fine", (n) => n)
        .thenFn("broken", (): number => {
          throw boom;
        });
      const { outcome, sync } = await run(axon, 1);

      assert.ok(isFault(outcome) && sync);
      assert.deepEqual(
        { ...(outcome.error as object) },
        { code: "TRANSITION_PANIC", step: "broken", cause: boom },
      );
    });

    test("makes a fault of a rejection, and of a throw after waiting", async () => {
      const rejecting = Axon.start("r").thenFn("late", async () => Promise.reject(new Error("no")));
      const throwing = Axon.start("t")
        .thenFn("wait", () => after(1, 1))
        .thenFn("throw", () => {
          throw new Error("no");
        });

      assert.equal(codeOf((await run(rejecting)).outcome), "TRANSITION_PANIC");
      assert.equal(codeOf((await run(throwing)).outcome), "TRANSITION_PANIC");
    });

    test("makes a fault of whatever is thrown, an undefined too", async () => {
      const axon = Axon.start("t").thenFn("throw", () => {
        throw undefined;
      });

      assert.equal(codeOf((await run(axon)).outcome), "TRANSITION_PANIC");
    });

    test("makes a fault of a getter `then` that throws", async () => {
      const trap = {
        get then(): never {
          throw new Error("trap");
        },
      };
      const axon = Axon.start("t").thenFn("trap", () => trap);

      assert.equal(codeOf((await run(axon)).outcome), "TRANSITION_PANIC");
    });

    test("calls a class's method with the instance as `this`", async () => {
      class Adder {
        readonly name = "Adder";
        readonly #by: number;
        constructor(by: number) {
          this.#by = by;
        }
        run(n: number) {
          return n + this.#by;
        }
      }

      assert.equal((await run(Axon.start<number>("c").then(new Adder(3)), 1)).outcome, 4);
    });

    test("lets a guard's input pass unchanged", async () => {
      const input = { a: 1 };
      const axon = Axon.start<{ a: number }>("g")
        .thenFn("guard", (i) => pass(i))
        .thenFn("see", (i) => i);

      assert.equal((await run(axon, input)).outcome, input);
    });

    describe("branch", () => {
      const vip = Axon.start<number>("vip")
        .thenFn("discount", (n) => n - 10)
        .thenFn("thank", (n) => n);
      const priced = (load: (n: number) => number | Promise<number>) =>
        Axon.start<number>("price")
          .thenFn("load", load)
          .thenFn("rate", (n) => (n > 100 ? branch("vip", n) : n), { branches: ["vip"] })
          .branch("vip", vip)
          .thenFn("tax", (n) => n * 2);

      test("goes through the branch and rejoins at the next step", async () => {
        assert.equal(
          (
            await run(
              priced((n) => n),
              200,
            )
          ).outcome,
          380,
        );
        assert.equal(
          (
            await run(
              priced((n) => n),
              50,
            )
          ).outcome,
          100,
        );
      });

      test("does so after waiting too, and stays synchronous where all is", async () => {
        assert.equal(
          (
            await run(
              priced((n) => after(1, n)),
              200,
            )
          ).outcome,
          380,
        );
        assert.ok(
          (
            await run(
              priced((n) => n),
              200,
            )
          ).sync,
        );
      });

      test("rejoins at the end where the branching step is the last", async () => {
        const axon = Axon.start<number>("last")
          .thenFn("rate", (n) => branch("vip", n), { branches: ["vip"] })
          .branch("vip", vip);

        assert.equal((await run(axon, 30)).outcome, 20);
      });

      test("takes an empty branch as the payload itself", async () => {
        const axon = Axon.start<number>("skip")
          .thenFn("rate", (n) => branch("as-is", n + 1), { branches: ["as-is"] })
          .branch("as-is", Axon.start<number>("nothing"))
          .thenFn("tax", (n) => n * 2);

        assert.equal((await run(axon, 1)).outcome, 4);
      });

      test("nests", async () => {
        const inner = Axon.start<number>("inner")
          .thenFn("i", (n) => branch("deep", n), { branches: ["deep"] })
          .branch("deep", vip);
        const axon = Axon.start<number>("outer")
          .thenFn("o", (n) => branch("inner", n), { branches: ["inner"] })
          .branch("inner", inner)
          .thenFn("end", (n) => n + 1);

        assert.equal((await run(axon, 30)).outcome, 21);
      });

      test("ends the run with the fault of a step inside it", async () => {
        const strict = Axon.start<number>("strict").thenFn("refuse", () => fault("no"));
        const axon = Axon.start<number>("b")
          .thenFn("b", (n) => branch("s", n), { branches: ["s"] })
          .branch("s", strict);
        const { outcome } = await run(axon, 1);

        assert.equal(isFault(outcome) && outcome.error, "no");
      });

      test("is a BRANCH_UNKNOWN fault where nothing is attached under the id", async () => {
        const untyped = { name: "b", branches: ["vip"], run: () => branch("vipp", 1) };
        const axon = (Axon.start("x") as never as AnyAxon).then(untyped as never).branch("vip", vip as never);

        assert.equal(codeOf((await run(axon)).outcome), "BRANCH_UNKNOWN");
      });

      test("checks the schemas of the attached Axon on the way in and out", async () => {
        const { Type } = await import("@sinclair/typebox");
        const positive = Axon.start("positive", Type.Number({ minimum: 0 })).withOutputSchema(Type.Number(), {
          check: "validate",
        });
        const axon = Axon.start<number>("b")
          .thenFn("b", (n) => branch("p", n), { branches: ["p"] })
          .branch("p", positive);

        assert.equal((await run(axon, 1)).outcome, 1);
        assert.equal(codeOf((await run(axon, -1)).outcome), "INPUT_INVALID");
      });
    });

    describe("jump", () => {
      const until = (limit: number) =>
        Axon.start<number>("loop")
          .label("again")
          .thenFn("add", (n) => n + 1)
          .thenFn("check", (n) => (n < limit ? jump("again", n) : n), { jumps: ["again"] })
          .thenFn("end", (n) => n * 10);

      test("goes on at an earlier step", async () => {
        assert.equal((await run(until(5), 0)).outcome, 50);
      });

      test("goes on at a later step, and past the last", async () => {
        const skipping = Axon.start<number>("skip")
          .thenFn("check", (n) => (n > 0 ? jump("on", n) : n), { jumps: ["on"] })
          .thenFn("lose", () => -1)
          .label("on")
          .thenFn("end", (n) => n);
        const leaving = Axon.start<number>("leave")
          .thenFn("check", (n) => (n > 0 ? jump("end", n) : n), { jumps: ["end"] })
          .thenFn("lose", () => -1)
          .label("end");

        assert.equal((await run(skipping, 7)).outcome, 7);
        assert.equal((await run(leaving, 7)).outcome, 7);
      });

      test("may be taken 1000 times in a run, and no more", async () => {
        assert.equal((await run(until(1001), 0)).outcome, 10_010);
        assert.equal(codeOf((await run(until(1002), 0)).outcome), "JUMP_LIMIT");
      });

      test("has the limit that the Axon sets", async () => {
        assert.equal((await run(until(3).withMaxJumps(2), 0)).outcome, 30);
        assert.equal(codeOf((await run(until(4).withMaxJumps(2), 0)).outcome), "JUMP_LIMIT");
      });

      test("stays inside the branch it is taken in", async () => {
        const axon = Axon.start<number>("outer")
          .label("again")
          .thenFn("b", (n) => branch("loop", n), { branches: ["loop"] })
          .branch("loop", until(3))
          .thenFn("end", (n) => n + 1);

        assert.equal((await run(axon, 0)).outcome, 31);
      });

      test("works after waiting", async () => {
        const axon = Axon.start<number>("loop")
          .label("again")
          .thenFn("add", (n) => after(1, n + 1))
          .thenFn("check", (n) => (n < 3 ? jump("again", n) : n), { jumps: ["again"] });

        assert.equal((await run(axon, 0)).outcome, 3);
      });
    });

    describe("emit", () => {
      const emitting = Axon.start<number>("e")
        .thenFn("tell", (n) => emit(Accepted, n, n + 1), { emits: [Accepted] })
        .thenFn("end", (n) => n * 2);

      test("hands the event to every sink and goes on with the value", async () => {
        const events: unknown[] = [];
        const axon = emitting
          .withEventSink({ send: (event) => events.push(["a", event]) })
          .withEventSink({ send: (event) => events.push(["b", event]) });
        const ran = await run(axon, 1);

        assert.equal(ran.outcome, 4);
        assert.ok(ran.sync);
        assert.deepEqual(events, [
          ["a", { name: "accepted", payload: 1 }],
          ["b", { name: "accepted", payload: 1 }],
        ]);
      });

      test("needs no sink", async () => {
        assert.equal((await run(emitting, 1)).outcome, 4);
      });

      test("reaches the sinks of the Axons around a branch, each once", async () => {
        const events: string[] = [];
        const shared = { send: () => events.push("shared") };
        const axon = Axon.start<number>("outer")
          .thenFn("b", (n) => branch("e", n), { branches: ["e"] })
          .branch("e", emitting.withEventSink(shared))
          .withEventSink(shared)
          .withEventSink({ send: () => events.push("outer") });
        await run(axon, 1);

        assert.deepEqual(events, ["shared", "outer"]);
      });

      test("is not changed by a sink that throws or rejects: that is reported", async () => {
        const reports: string[] = [];
        const reporter = (report: { code: string }) => reports.push(report.code);
        const axon = emitting
          .withEventSink({
            send: () => {
              throw new Error("sink");
            },
          })
          .withEventSink({ send: () => Promise.reject(new Error("sink")) });
        const { outcome } = await runOnce(axon, 1, {
          ...executor,
          options: { ...executor.options, reporter },
        });
        await after(1, 0);

        assert.equal(outcome, 4);
        assert.deepEqual(reports, ["EVENT_SINK_FAILED", "EVENT_SINK_FAILED"]);
      });

      test("reaches a sink that sends once its answer is awaited, and reports what that rejects with", async () => {
        const reports: unknown[] = [];
        const reporter = ({ code, error }: { code: string; error?: unknown }) => reports.push([code, error]);
        let sent = 0;
        const query = {
          then: (_: unknown, failed: (cause: unknown) => void) => {
            sent += 1;
            failed("no table");
          },
        };
        const axon = emitting.withEventSink({ send: () => query as unknown as Promise<void> });
        await runOnce(axon, 1, { ...executor, options: { ...executor.options, reporter } });
        await after(1, 0);

        assert.equal(sent, 1);
        assert.deepEqual(reports, [["EVENT_SINK_FAILED", "no table"]]);
      });

      test("reads the emitted value like an answer", async () => {
        const pending = Axon.start<number>("e").thenFn("tell", (n) => emit(Accepted, n, after(1, n)), {
          emits: [Accepted],
        });
        const refusing = Axon.start<number>("e").thenFn("tell", (n) => emit(Accepted, n, fault("no")), {
          emits: [Accepted],
        });
        const refused = (await run(refusing, 1)).outcome;

        assert.equal((await run(pending, 1)).outcome, 1);
        assert.equal(isFault(refused) && refused.error, "no");
      });
    });

    test("refuses a jump, a branch or an event that the step does not declare", async () => {
      const answers = [() => jump("again", 1), () => branch("vip", 1), () => emit(Accepted, 1, 1)];
      for (const answer of answers) {
        const untyped = { name: "u", run: answer } as never;

        assert.equal(
          codeOf((await run(Axon.start("x").label("again").then(untyped))).outcome),
          "TRANSITION_UNDECLARED",
        );
      }
    });

    describe("Bus", () => {
      test("carries what one step writes to those that read it", async () => {
        const axon = Axon.start<number>("b")
          .thenFn(
            "write",
            (n, bus) => {
              bus.set(Total, n * 2);
              return n;
            },
            { writes: [Total] },
          )
          .thenFn("read", (n, bus) => bus.get(Total) + n, { reads: [Total] });
        const ran = await run(axon, 2);

        assert.equal(ran.outcome, 6);
        assert.deepEqual(ran.bus, { Total: 4 });
      });

      test("is empty for the next run", async () => {
        const seen: unknown[] = [];
        const peek = transition({
          name: "peek",
          mayRead: [Total],
          mayWrite: [Total],
          run: (n: number, bus) => {
            seen.push(bus.find(Total));
            bus.set(Total, n);
            return n;
          },
        });
        const axon = Axon.start<number>("b").then(peek);
        const { Program } = await import("#runtime/program.js");
        const program = new Program(axon.definition, executor.options);
        program.run(1, program.acquire());
        program.run(2, program.acquire());

        assert.deepEqual(seen, [undefined, undefined]);
      });

      test("gives BUS_VALUE_MISSING, naming key and step, for what was never written", async () => {
        const axon = Axon.start<number>("b")
          .thenFn("maybe", (n) => n, { mayWrite: [Total] })
          .thenFn("read", (n, bus) => (bus as never as { get(key: unknown): number }).get(Total) + n, {
            mayRead: [Total],
          });
        const { outcome } = await run(axon, 1);

        assert.ok(isFault(outcome) && outcome instanceof Fault);
        const { cause } = outcome.error as { cause: Error };
        if (executor.options.production === true) {
          assert.match(cause.message, /'read' read 'Total'/);
        } else {
          assert.match(cause.message, /'read' called get\('Total'\)/);
        }
      });
    });

    describe("abort", () => {
      const slow = (seen: string[]) =>
        Axon.start<number>("s")
          .thenFn("first", (n) => {
            seen.push("first");
            return n;
          })
          .thenFn("wait", (n) => after(5, n))
          .thenFn("last", (n) => {
            seen.push("last");
            return n;
          });

      test("before the start runs nothing", async () => {
        const seen: string[] = [];

        assert.equal(codeOf((await run(slow(seen), 1, AbortSignal.abort())).outcome), "RUN_ABORTED");
        assert.deepEqual(seen, []);
      });

      test("between two synchronous steps keeps the second from running", async () => {
        const seen: string[] = [];
        const controller = new AbortController();
        const axon = Axon.start("a")
          .thenFn("abort", () => controller.abort("enough"))
          .thenFn("never", () => void seen.push("never"));
        const ran = await run(axon, undefined, controller.signal);

        assert.ok(isFault(ran.outcome) && ran.sync);
        assert.deepEqual({ ...(ran.outcome.error as object) }, { code: "RUN_ABORTED", reason: "enough" });
        assert.deepEqual(seen, []);
      });

      test("between two synchronous steps behind a promise does too", async () => {
        const seen: string[] = [];
        const controller = new AbortController();
        const axon = Axon.start("a")
          .thenFn("wait", () => after(1, "on"))
          .thenFn("abort", () => controller.abort("enough"))
          .thenFn("never", () => void seen.push("never"));

        assert.equal(codeOf((await run(axon, undefined, controller.signal)).outcome), "RUN_ABORTED");
        assert.deepEqual(seen, []);
      });

      test("while a step is pending answers at once, and what it brings later changes nothing", async () => {
        const seen: string[] = [];
        const controller = new AbortController();
        const never = Axon.start("n")
          .thenFn("hang", () => new Promise<number>(() => {}))
          .thenFn("x", () => void seen.push("x"));
        const hanging = run(never, undefined, controller.signal);
        const waiting = run(slow(seen), 1, controller.signal);
        controller.abort();

        assert.equal(codeOf((await hanging).outcome), "RUN_ABORTED");
        assert.equal(codeOf((await waiting).outcome), "RUN_ABORTED");
        await after(10, 0);
        assert.deepEqual(seen, ["first"]);
      });

      test("lets no event out that a pending step emits after it", async () => {
        const events: unknown[] = [];
        const controller = new AbortController();
        const axon = Axon.start<number>("e")
          .thenFn("tell", (n) => after(2, emit(Accepted, n, n)), { emits: [Accepted] })
          .withEventSink({ send: (event) => events.push(event) });
        const ran = run(axon, 1, controller.signal);
        controller.abort();
        await ran;
        await after(6, 0);

        assert.deepEqual(events, []);
      });

      test("of a step that rejects for it leaves no unhandled rejection", async () => {
        const controller = new AbortController();
        const axon = Axon.start("r").thenFn(
          "fetch",
          (_, bus) =>
            new Promise((_, reject) => bus.signal.addEventListener("abort", () => reject(bus.signal.reason))),
        );
        const ran = run(axon, undefined, controller.signal);
        controller.abort();

        assert.equal(codeOf((await ran).outcome), "RUN_ABORTED");
      });

      test("may be asked for only once the run has waited", async () => {
        const axon = Axon.start<number>("late")
          .thenFn("wait", (n) => after(1, n))
          .thenFn("listen", (n, bus) => after(bus.signal.aborted ? 0 : 1, n + 1))
          .thenFn("end", (n) => n * 2);
        const { Program } = await import("#runtime/program.js");
        const program = new Program(axon.definition, executor.options);
        if (executor.level !== undefined) program.watch?.watch(executor.level);

        assert.equal(await program.run(1, program.acquire()), 4);
      });

      test("after the end changes nothing", async () => {
        const controller = new AbortController();
        const ran = await run(
          Axon.start<number>("d").thenFn("wait", (n) => after(1, n)),
          1,
          controller.signal,
        );
        controller.abort();

        assert.equal(ran.outcome, 1);
      });

      test("is seen by the step as `bus.signal`", async () => {
        const controller = new AbortController();
        const axon = Axon.start("s").thenFn("look", (_, bus) => bus.signal.aborted);

        assert.equal((await run(axon, undefined, controller.signal)).outcome, false);
      });
    });
  });
}
