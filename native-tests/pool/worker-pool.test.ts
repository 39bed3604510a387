import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import {
  Axon,
  Bus,
  busKey,
  type Fault,
  isFault,
  MemoryRuns,
  ProblemDetail,
  RetryPolicy,
  RunId,
  workerModule,
  workerTransition,
} from "framework";
import { AxonTestKit, ManualClock } from "framework/runtime";
import { closePool, joinPool } from "#pool/process-pool.js";
import { taken } from "../support/kept-runs.js";

const url = new URL("../support/pool-work.js", import.meta.url);
const work = workerModule<typeof import("../support/pool-work.js")>(url);
type Work = typeof import("../support/pool-work.js");

const SMALL = { threads: 1, queue: 256, idleTimeoutMs: 60_000, memoryLimitMb: 512, warm: false } as const;

/** An Axon of one step, `name`, in the pool. Its types are not asked here: native-tests/types does. */
const offloaded = (name: keyof Work, options: object = {}) =>
  Axon.start<any>(name).offload(
    workerTransition({ name, module: work, export: name, ...options } as any) as any,
  );
const ask = (name: keyof Work, input?: unknown, signal?: AbortSignal): Promise<any> =>
  Promise.resolve(offloaded(name).execute(input, undefined, signal));
const joined: (() => Promise<void>)[] = [];
const join = (...given: Parameters<typeof joinPool>): (() => Promise<void>) => {
  const leave = joinPool(...given);
  joined.push(leave);
  return leave;
};
const leaveAll = async (): Promise<void> => {
  for (const leave of joined.splice(0)) await leave();
  await closePool();
};
const errorOf = (outcome: unknown): any => {
  assert.ok(isFault(outcome), `a fault was expected, not ${JSON.stringify(outcome)}`);
  return outcome.error;
};

describe("an offloaded step", () => {
  afterEach(leaveAll);

  test("runs in another thread, and answers its value", async () => {
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
    assert.notEqual(await ask("thread"), 0);
  });

  test("gets what it reads of the Bus by the names of the keys", async () => {
    const Greeting = busKey<string>()("Greeting");
    const greet = Axon.start<string>("greet").offload(
      workerTransition({ name: "greet", module: work, export: "greet", reads: [Greeting] }),
    );

    assert.equal(await greet.execute("Ada", Bus.of([[Greeting, "Hello"]])), "Hello, Ada");
  });

  test("gets what it uses of the Bus by its own names", async () => {
    const Words = busKey<string>()("Words");
    const step = workerTransition({
      name: "greet",
      module: work,
      export: "greet",
      uses: { Greeting: Words },
    });
    const greet = Axon.start<string>("greet").offload(step);

    assert.equal(await greet.execute("Ada", Bus.of([[Words, "Hello"]])), "Hello, Ada");
    const Greeting = busKey<string>()("Greeting");
    for (const keys of [{ uses: { Greeting: Words }, reads: [Greeting] }, { uses: { get: Words } }])
      assert.throws(
        () => workerTransition({ name: "greet", module: work, export: "greet", ...keys } as never),
        {
          code: "CONFIG_INVALID",
        },
      );
    // @ts-expect-error The key is needed.
    assert.ok(() => greet.execute("Ada"));
  });

  test("answers the worker's fault with its value, and a ProblemDetail as one", async () => {
    assert.deepEqual(errorOf(await ask("decline", 3)), { code: "DECLINED", n: 3 });
    const problem = errorOf(await ask("refuse"));
    assert.ok(problem instanceof ProblemDetail);
    assert.deepEqual([problem.status, problem.code], [422, "TOO_DARK"]);
  });

  test("answers the worker's fault with the error of the service behind it", async () => {
    const outcome = await ask("look");

    assert.deepEqual(errorOf(outcome), { code: "DARK" });
    const { step, thrown } = (outcome as Fault<unknown>).mapped ?? assert.fail("no error of a service");
    assert.ok(thrown instanceof Error);
    assert.deepEqual(
      [step, thrown.name, thrown.message, { ...thrown }],
      ["look", "TypeError", "no light", { code: "E_X" }],
    );
  });

  test("panics with the error that the worker threw: name, message, stack, fields", async () => {
    const { code, cause } = errorOf(await ask("fail"));

    assert.equal(code, "TRANSITION_PANIC");
    assert.ok(cause instanceof Error);
    assert.deepEqual([cause.name, cause.message, { ...cause }], ["TypeError", "no", { code: "E_X", at: 3 }]);
    assert.match(String(cause.stack), /pool-work/);
  });

  test("is tried again, and undone, like any step", async () => {
    const undone: unknown[] = [];
    const axon = Axon.start<number>("both")
      .thenCompensated(
        workerTransition({ name: "spin", module: work, export: "spin" }),
        ({ output }: any) => void undone.push(output),
      )
      .thenWithRetry(
        workerTransition({ name: "decline", module: work, export: "decline" }),
        RetryPolicy.fixed(1, 0),
      );

    assert.deepEqual(errorOf(await axon.execute(1)), { code: "DECLINED", n: 1 });
    assert.deepEqual(undone, [1]);
  });

  test("is kept like any step: a run that is resumed behind it does not run it again", async () => {
    const seen: number[] = [];
    const next = { reached: () => {} };
    const reached = new Promise<void>((resolve) => {
      next.reached = resolve;
    });
    const axon = Axon.start<undefined>("kept")
      .offload(workerTransition({ name: "thread", module: work, export: "thread" }))
      .thenFn("last", (thread) => {
        next.reached();
        return seen.push(thread) === 1 ? new Promise<number>(() => {}) : thread;
      })
      .withPersistenceStore(new MemoryRuns());
    void axon.execute(undefined, Bus.of([[RunId, "run"]]));
    await reached;
    // A new thread would have another number.
    await closePool();

    assert.equal(await taken(axon, "run"), seen[0]);
    assert.equal(seen[1], seen[0]);
  });

  test("ends with STEP_TIMEOUT when its time is up, and its thread ends", async () => {
    const axon = offloaded("never", { timeoutMs: 30 });

    assert.equal(errorOf(await axon.execute(1)).code, "STEP_TIMEOUT");
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });

  test("hands ArrayBuffers over where it is told to, and else copies them", async () => {
    const copied = new Uint8Array(8).fill(1);
    const given = new Uint8Array(8).fill(1);
    const moving = offloaded("flip", { transfer: (b: Uint8Array) => [b.buffer], transferOutput: true });

    assert.deepEqual(await ask("flip", copied), new Uint8Array(8).fill(254));
    assert.deepEqual(await moving.execute(given), new Uint8Array(8).fill(254));
    assert.deepEqual([copied.byteLength, given.byteLength], [8, 0]);
  });
});

describe("a value that is no data", () => {
  afterEach(leaveAll);

  test("is a fault that names the input", async () => {
    const fault = errorOf(await ask("add", { a: () => 1, b: 2 }));

    assert.deepEqual([fault.code, fault.value], ["VALUE_NOT_CLONEABLE", "input"]);
    assert.match(fault.reason, /could not be cloned/);
  });

  test("is a fault that names the answer; the next job has a thread", async () => {
    const fault = errorOf(await ask("callable"));

    assert.deepEqual([fault.code, fault.value], ["VALUE_NOT_CLONEABLE", "answer"]);
    assert.match(fault.reason, /could not be cloned/);
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });

  test("is also a reply and a jump, which the next step is to make", async () => {
    for (const [name, what] of [
      ["reply", "respond"],
      ["again", "a jump"],
    ] as const) {
      const fault = errorOf(await ask(name));
      assert.equal(fault.code, "VALUE_NOT_CLONEABLE");
      assert.match(fault.reason, new RegExp(`answered ${what}.*a step behind it`));
    }
  });

  test("is not what refers to itself: that is cloned", async () => {
    const made = await ask("circle");

    assert.equal(made.self, made);
  });

  test("is refused before any run where a schema tells", () => {
    const input = Type.Object({ sizes: Type.Array(Type.Function([], Type.Null())) });

    assert.throws(
      () => offloaded("add", { input }),
      /CONFIG_INVALID|its input schema: \/sizes\/items, a Function, cannot be sent to a thread/,
    );
  });
});

describe("a module for the pool", () => {
  afterEach(leaveAll);

  test("that does not exist is an error where it is named, with the remedy", () => {
    assert.throws(() => workerModule(new URL("./nowhere.js", import.meta.url)), {
      code: "WORKER_MODULE_MISSING",
      message: /there is no file .*nowhere\.js: mend the path/,
    });
  });

  test("that throws when it is loaded is a fault with the error", async () => {
    const broken = workerModule<typeof import("../support/pool-broken.js")>(
      new URL("../support/pool-broken.js", import.meta.url),
    );
    const axon = Axon.start<number>("broken").offload(
      workerTransition({ name: "broken", module: broken, export: "work" }),
    );
    const fault = errorOf(await axon.execute(1));

    assert.equal(fault.code, "WORKER_MODULE_FAILED");
    assert.match(fault.reason, /threw when it was loaded: no licence file/);
  });

  test("without such a function is a fault that says what it exports", async () => {
    const reasonOf = async (name: string) => errorOf(await ask(name as keyof Work)).reason;

    assert.match(await reasonOf("nope"), /does not export 'nope': name one of its functions/);
    assert.match(await reasonOf("answer"), /exports as a number 'answer'/);
  });

  test("is refused as an option that is misspelt or missing", () => {
    const made = (options: object) => () => workerTransition(options as any);

    assert.throws(made({ name: "x", module: work, export: "add", timeout: 3 }), /'timeout' .*; there are /);
    assert.throws(made({ name: "x", module: url, export: "add" }), /give 'module' what workerModule/);
    assert.throws(made({ name: "x", module: work }), /give 'export' the name/);
    assert.throws(made({ name: "x", module: work, export: "add", timeoutMs: 0 }), /milliseconds above 0/);
    assert.throws(() => workerModule("./work.js" as never), /new URL\("\.\/work\.js", import\.meta\.url\)/);
    assert.throws(() => Axon.start<number>("a").offload({ name: "here", run: (n: number) => n } as never), {
      code: "AXON_STEP_INVALID",
      message: /'here', .*: make it by workerTransition/,
    });
  });
});

describe("a job that is ended", () => {
  afterEach(leaveAll);

  test("frees its thread by the abort of its run, whether it answers or not, and hurts no neighbour", async () => {
    join({ ...SMALL, threads: 2 }, 1);
    const neighbour = ask("spin", 80);
    for (const name of ["never", "spin"] as const) {
      const controller = new AbortController();
      const ended = ask(name, 60_000, controller.signal);
      await started();
      const began = performance.now();
      controller.abort(new Error("client gone"));

      assert.equal(errorOf(await ended).code, "RUN_ABORTED");
      assert.equal(await ask("add", { a: 1, b: 2 }), 3);
      assert.ok(performance.now() - began < 5000, "the thread did not end");
    }
    assert.equal(await neighbour, 80);
  });

  test("is taken out of the queue where it waits, which has its place again, and the job that runs goes on", async () => {
    join({ ...SMALL, queue: 1 }, 1);
    const controller = new AbortController();
    const running = ask("spin", 60);
    const waiting = ask("spin", 60_000, controller.signal);
    controller.abort();
    const behind = ask("add", { a: 1, b: 2 });

    assert.equal(await behind, 3);
    assert.equal(errorOf(await waiting).code, "RUN_ABORTED");
    assert.equal(await running, 60);
  });

  test("was never begun where its run had been aborted", async () => {
    assert.equal(errorOf(await ask("add", { a: 1, b: 2 }, AbortSignal.abort())).code, "RUN_ABORTED");
  });
});

describe("a module that is being loaded", () => {
  afterEach(leaveAll);
  const gated = workerModule<typeof import("../support/pool-gated.js")>(
    new URL("../support/pool-gated.js", import.meta.url),
  );
  const adding = (options: object = {}) =>
    Axon.start<any>("add").offload(
      workerTransition({ name: "add", module: gated, export: "add", ...options }),
    );
  /** Counts the threads that load it. `go` lets them. */
  const gate = () => {
    const channel = new BroadcastChannel("pool-gated");
    const seen = { loads: 0 };
    const isLoading = new Promise<void>((loading) => {
      channel.onmessage = () => {
        seen.loads += 1;
        loading();
      };
    });
    return { seen, isLoading, go: () => channel.postMessage("go"), [Symbol.dispose]: () => channel.close() };
  };

  test("does not count in the time limit of its step", async () => {
    using gates = gate();
    const clock = new ManualClock();
    const limited = adding({ timeoutMs: 1000 });
    const running = new AxonTestKit({}, { clock }).run(limited, { a: 1, b: 2 });
    await gates.isLoading;
    await clock.advance(999);
    for (let n = 0; n < 5; n += 1) await clock.advance(1000);
    gates.go();

    assert.equal((await running).outcome, 3);
  });

  // (WP4)
  test("goes on where the run that needs it is aborted, and is there for the next", async () => {
    using gates = gate();
    join(SMALL, 1);
    const controller = new AbortController();
    const aborted = adding().execute({ a: 1, b: 2 }, undefined, controller.signal);
    await gates.isLoading;
    controller.abort();
    assert.equal(errorOf(await aborted).code, "RUN_ABORTED");
    const next = adding().execute({ a: 2, b: 2 });
    gates.go();

    assert.equal(await next, 4);
    assert.equal(gates.seen.loads, 1);
  });

  test("is given up after its own limit, by name, and its thread is ended, also after an abort", async () => {
    join(SMALL, 1);
    const { code, module, reason } = errorOf(await adding({ loadTimeoutMs: 50 }).execute({ a: 1, b: 2 }));
    assert.equal(code, "WORKER_MODULE_FAILED");
    assert.match(module, /pool-gated/);
    assert.match(reason, /had not been loaded after 50 ms: .*loadTimeoutMs/);
    using gates = gate();
    const controller = new AbortController();
    const aborted = adding({ loadTimeoutMs: 300 }).execute({ a: 1, b: 2 }, undefined, controller.signal);
    await gates.isLoading;
    controller.abort();
    await aborted;

    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });
});

/** Resolves when the pool has answered a job. */
const started = () => ask("add", { a: 0, b: 0 });

describe("a crash", () => {
  afterEach(leaveAll);

  // (WP2)
  test("fails the job that the thread had, and none of a thousand others", async () => {
    join({ ...SMALL, threads: 2, queue: 1000 }, 1);
    const crashing = [50, 51, 52, 400, 700];
    const jobs = Array.from({ length: 1000 }, (_, n) =>
      crashing.includes(n) ? ask("leave", 3) : ask("spin", 0),
    );
    const outcomes = await Promise.all(jobs);

    const failed = outcomes.flatMap((outcome, n) => (isFault(outcome) ? [n] : []));
    assert.deepEqual(failed, crashing);
    const { code, cause } = errorOf(outcomes[50]);
    assert.equal(code, "WORKER_CRASHED");
    assert.match(cause.message, /exited with code: 3/);
  });

  // (WP3)
  test("of a timer that a job has left is not blamed on the next job", async () => {
    join(SMALL, 1);
    const first = await ask("thread");
    await ask("later", 1);
    let now = first;
    for (let n = 0; n < 1000 && now === first; n += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      now = await ask("thread");
    }

    assert.notEqual(now, first, "the timer never fired");
  });

  test("by the limit of the heap is POOL_MEMORY", async () => {
    join({ ...SMALL, memoryLimitMb: 32 }, 1);
    const fault = errorOf(await ask("grow"));

    // The growth of the process may be seen first.
    assert.deepEqual({ ...fault }, { code: "POOL_MEMORY", step: "grow", of: fault.of, limitMb: 32 });
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });

  test("by ArrayBuffers beyond the limit is POOL_MEMORY of the longest running job", async () => {
    join({ ...SMALL, memoryLimitMb: 64 }, 1);
    const fault = errorOf(await ask("hoard"));

    assert.deepEqual({ ...fault }, { code: "POOL_MEMORY", step: "hoard", of: "process", limitMb: 64 });
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });
});

describe("the pool", () => {
  afterEach(leaveAll);

  // (WP1)
  test("refuses jobs beyond its threads and its queue, though each has a signal", async () => {
    join({ ...SMALL, queue: 2 }, 1);
    await ask("add", { a: 1, b: 2 });
    const axon = offloaded("spin");
    const outcomes = await Promise.all(Array.from({ length: 10_000 }, () => axon.execute(1)));

    const full = outcomes.filter(isFault).map((outcome: any) => outcome.error);
    assert.equal(full.length, 10_000 - 3);
    const { retryAfterSecs, ...rest } = full[0];
    assert.deepEqual(rest, { code: "POOL_FULL", step: "spin" });
    // By how long the last jobs took, the start of the thread included.
    assert.ok(Number.isInteger(retryAfterSecs) && retryAfterSecs >= 1 && retryAfterSecs <= 60);
  });

  test("ends what is left when the last server that uses it leaves", async () => {
    const first = joinPool(SMALL, 1);
    const second = joinPool(undefined, 1);
    const running = ask("never");
    await first();
    const waiting = ask("add", { a: 1, b: 2 });
    await second();

    assert.equal(errorOf(await running).code, "POOL_CLOSED");
    assert.equal(errorOf(await waiting).code, "POOL_CLOSED");
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
  });

  test("starts its threads with the server where it is warm, and else with the first job", async () => {
    const started: unknown[] = [];
    const count = (worker: unknown): void => void started.push(worker);
    process.on("worker", count);
    join(SMALL, 1);
    assert.equal(await ask("add", { a: 1, b: 2 }), 3);
    assert.equal(started.length, 1);
    await leaveAll();

    join({ ...SMALL, threads: 2, warm: true }, 1);
    await once(process, "worker");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("worker", count);

    assert.equal(started.length, 3);
  });

  test("has one configuration in a process", async () => {
    join(SMALL, 1);

    assert.throws(() => joinPool({ ...SMALL, queue: 3 }, 1), { code: "CONFIG_CONFLICT" });
  });
});
