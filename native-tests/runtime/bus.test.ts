import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type AnyKey, Axon, busKey, fault, isFault, transition } from "framework";
import { Program } from "#runtime/compile/program.js";
import type { RunBus } from "#runtime/run/run-state.js";

const A = busKey<string>()("A");
const B = busKey<string>()("B");
const C = busKey<string>()("C");

type UntypedBus = {
  get(key: AnyKey): unknown;
  find(key: AnyKey): unknown;
  has(key: AnyKey): boolean;
  set(key: AnyKey, value: unknown): void;
  delete(key: AnyKey): void;
  readonly signal: AbortSignal;
};

/** Runs `use` as a step that declares A read, B written, C perhaps written or deleted. */
function inStep(use: (bus: UntypedBus) => unknown, production: boolean): unknown {
  const write = transition({ name: "write", writes: [A], run: (_: unknown, bus) => bus.set(A, "a") });
  const step = transition({
    name: "use",
    reads: [A],
    writes: [B],
    mayWrite: [C],
    deletes: [C],
    run: (_: unknown, bus) => {
      bus.set(B, "b");
      return use(bus as unknown as UntypedBus);
    },
  });
  const program = new Program(Axon.start<unknown>("x").then(write).then(step).definition, { production });
  return program.run(undefined, program.acquire());
}

const thrown = (outcome: unknown): { code: string; message: string } => {
  assert.ok(isFault(outcome));
  return (outcome.error as { cause: { code: string; message: string } }).cause;
};

describe("access of a step outside production", () => {
  test("is allowed for what it declares", () => {
    const found = inStep((bus) => {
      bus.set(C, "c");
      bus.delete(C);
      return [bus.get(A), bus.find(B), bus.has(C), bus.find(A)];
    }, false);

    assert.deepEqual(found, ["a", "b", false, "a"]);
  });

  test("is denied for the rest, naming step, key and remedy", () => {
    const denied: readonly [(bus: UntypedBus) => unknown, RegExp][] = [
      [
        (bus) => bus.get(B),
        /Step 'use' called get\('B'\) without declaring it: add the key to 'reads' or 'uses'/,
      ],
      [(bus) => bus.get(C), /get\('C'\)/],
      [(bus) => bus.set(A, "x"), /set\('A'\).*'writes', 'mayWrite' or 'sets'/],
      [(bus) => bus.delete(B), /delete\('B'\) without declaring it: add the key to 'deletes'/],
      [(bus) => bus.find(busKey<string>()("D")), /find\('D'\).*'reads', 'mayRead', 'uses' or 'mayUse'/],
    ];
    for (const [use, message] of denied) {
      const { code, message: text } = thrown(inStep(use, false));

      assert.equal(code, "BUS_ACCESS_DENIED");
      assert.match(text, message);
    }
  });

  test("is denied to a function that undoes a step, naming how to declare the key", async () => {
    const failures: unknown[] = [];
    const undo = (_: unknown, bus: unknown) => (bus as UntypedBus).get(A);
    const axon = Axon.start<unknown>("x")
      .then(transition({ name: "write", writes: [A], run: (_: unknown, bus) => bus.set(A, "a") }))
      .thenCompensated(transition({ name: "pay", run: () => 1 }), undo as never)
      .thenFn("refuse", () => fault("refused"));
    const program = new Program(axon.definition, {
      production: false,
      reporter: ({ error }) => failures.push(error),
    });
    await program.run(undefined, program.acquire());

    const [failed] = failures as [{ code: string; cause: { code: string; message: string } }];
    assert.deepEqual([failed.code, failed.cause.code], ["TRANSITION_PANIC", "BUS_ACCESS_DENIED"]);
    assert.match(
      failed.cause.message,
      /^The function 'undo', .*get\('A'\).*; .*give transition\(\{ name: "undo", reads: \[A\], run \}\)$/,
    );
  });

  test("ends with a fault where the step answers without writing what it declares", () => {
    const forgetful = transition({
      name: "forgetful",
      writes: [A],
      run: (n: number) => (n > 0 ? Promise.resolve(n) : n),
    });
    const axon = Axon.start<number>("x").then(forgetful);
    const run = (n: number) => {
      const program = new Program(axon.definition, { production: false });
      return program.run(n, program.acquire());
    };

    assert.equal(thrown(run(0)).code, "BUS_VALUE_UNWRITTEN");
    assert.match(thrown(run(0)).message, /^Step 'forgetful' .*'A', .*: set it, or declare it in 'mayWrite'$/);
    return (run(1) as Promise<unknown>).then((outcome) =>
      assert.equal(thrown(outcome).code, "BUS_VALUE_UNWRITTEN"),
    );
  });
});

describe("access of a step in production", () => {
  test("is not checked step by step", () => {
    assert.equal(
      inStep((bus) => bus.get(B), true),
      "b",
    );
  });

  // B1: what the table does not know is slot 0.
  test("is denied for keys that no step of the circuit declares", () => {
    const D = busKey<string>()("D");

    assert.equal(thrown(inStep((bus) => bus.get(D), true)).code, "BUS_ACCESS_DENIED");
    assert.equal(thrown(inStep((bus) => bus.set(D, "x"), true)).code, "BUS_ACCESS_DENIED");
  });
});

describe("a Bus whose run is over", () => {
  const keeping = (ownBus: boolean, delay?: Promise<void>) => {
    const kept: RunBus[] = [];
    const step = transition({
      name: "keep",
      mayWrite: [A],
      run: (n: string, bus) => {
        kept.push(bus as unknown as RunBus);
        bus.set(A, n);
        return delay === undefined ? n : delay.then(() => n);
      },
    });
    const program = new Program(Axon.start<string>("k").then(step).definition, { production: true, ownBus });
    const run = (n: string) => program.run(n, program.acquire());
    return { kept, run };
  };

  // P2: a Bus object for each run.
  test("refuses every call on an ingress, so that nobody reads a stranger's values", () => {
    const { kept, run } = keeping(true);
    run("mine");
    run("yours");
    const [bus] = kept as [RunBus];

    for (const call of [
      () => bus.get(A),
      () => bus.find(A),
      () => bus.has(A),
      () => bus.set(A, "x"),
      () => bus.delete(A),
      () => bus.signal,
    ]) {
      assert.throws(call, { code: "BUS_RELEASED" });
    }
    assert.notEqual(kept[0], kept[1]);
  });

  test("still shows a run that waited its own values, and never another's", async () => {
    const { kept, run } = keeping(true, Promise.resolve());
    await Promise.all([run("mine"), run("yours")]);

    assert.deepEqual(
      kept.map((bus) => bus.get(A)),
      ["mine", "yours"],
    );
  });

  test("is one object for all runs in process, in production", () => {
    const { kept, run } = keeping(false);
    run("mine");
    run("yours");

    assert.equal(kept[0], kept[1]);
    assert.equal(kept[0]?.find(A), undefined, "and holds nothing between them");
  });

  // P1: who has its signal may still hold the state.
  test("is not handed on where its signal was given away", () => {
    const kept: AbortSignal[] = [];
    const program = new Program(
      Axon.start("s").thenFn("keep", (_, bus) => void kept.push(bus.signal)).definition,
      { production: true },
    );
    for (const _ of [1, 2]) program.run(undefined, program.acquire());

    assert.notEqual(kept[0], kept[1]);
  });

  test("refuses outside production what a step kept, in process too", () => {
    let kept: UntypedBus | undefined;
    const axon = Axon.start("dev").thenFn(
      "keep",
      (_, bus) => {
        kept = bus as unknown as UntypedBus;
      },
      { mayRead: [A] },
    );
    axon.execute();

    assert.throws(() => kept?.find(A), { code: "BUS_RELEASED" });
  });
});
