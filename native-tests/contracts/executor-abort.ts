// What every executor does with a run that its caller aborts.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { emit, isFault } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import { after, codeOf, runner, Told } from "../support/executor-runs.js";
import type { Executor } from "../support/executors.js";

export function abortContract(executor: Executor): void {
  const run = runner(executor);

  describe(`executor: ${executor.name}: abort`, () => {
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

      assert.equal(codeOf(await run(slow(seen), 1, AbortSignal.abort())), "RUN_ABORTED");
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

    // E4: the second function looks before each step.
    test("between two synchronous steps behind a promise does too", async () => {
      const seen: string[] = [];
      const controller = new AbortController();
      const axon = Axon.start("a")
        .thenFn("wait", () => after(1, "on"))
        .thenFn("abort", () => controller.abort("enough"))
        .thenFn("never", () => void seen.push("never"));

      assert.equal(codeOf(await run(axon, undefined, controller.signal)), "RUN_ABORTED");
      assert.deepEqual(seen, []);
    });

    // L2: the outcome does not depend on that promise.
    test("while a step is pending answers at once, and what it brings later changes nothing", async () => {
      const seen: string[] = [];
      const controller = new AbortController();
      const never = Axon.start("n")
        .thenFn("hang", () => new Promise<number>(() => {}))
        .thenFn("x", () => void seen.push("x"));
      const hanging = run(never, undefined, controller.signal);
      const waiting = run(slow(seen), 1, controller.signal);
      controller.abort();

      assert.equal(codeOf(await hanging), "RUN_ABORTED");
      assert.equal(codeOf(await waiting), "RUN_ABORTED");
      await after(10, 0);
      assert.deepEqual(seen, ["first"]);
    });

    test("lets no event out that a pending step emits after it", async () => {
      const events: unknown[] = [];
      const controller = new AbortController();
      const axon = Axon.start<number>("e")
        .thenFn("tell", (n) => after(2, emit(Told, n, n)), { emits: [Told] })
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

      assert.equal(codeOf(await ran), "RUN_ABORTED");
    });

    test("may be asked for only once the run has waited", async () => {
      const axon = Axon.start<number>("late")
        .thenFn("wait", (n) => after(1, n))
        .thenFn("listen", (n, bus) => after(bus.signal.aborted ? 0 : 1, n + 1))
        .thenFn("end", (n) => n * 2);
      const { Program } = await import("#runtime/compile/program.js");
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
}
