import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";

import { Axon, Bus, branch, busKey, isFault, jump, transition } from "framework";

const Plan = busKey<string>()("Plan");
const code = (expected: string, message: RegExp) => ({ name: "FrameworkError", code: expected, message });
const untyped = (axon: unknown) =>
  axon as {
    then(step: unknown): any;
    branch(id: string, axon: unknown): any;
    execute(...args: unknown[]): unknown;
  };

describe("building an Axon", () => {
  test("never changes the one that is extended", () => {
    const base = Axon.start<number>("base").thenFn("add", (n) => n + 1);
    const [doubled, tripled] = [base.thenFn("double", (n) => n * 2), base.thenFn("triple", (n) => n * 3)];

    assert.deepEqual([base.execute(1), doubled.execute(1), tripled.execute(1)], [2, 4, 6]);
  });

  test("may use one Axon as a branch of several", () => {
    const side = Axon.start<number>("side").thenFn("negate", (n) => -n);
    const make = (name: string) =>
      Axon.start<number>(name)
        .thenFn("go", (n) => branch("s", n), { branches: ["s"] })
        .branch("s", side);

    assert.deepEqual([make("a").execute(1), make("b").execute(2)], [-1, -2]);
  });

  test("starts by `new` and `simple` as well", () => {
    assert.equal(
      Axon.new<number>("n")
        .thenFn("id", (n) => n)
        .execute(1),
      1,
    );
    assert.equal(
      Axon.simple<number>("s")
        .thenFn("id", (n) => n)
        .execute(1),
      1,
    );
    assert.equal(Axon.new("typed", Type.Number()).execute(1), 1);
  });

  test("refuses names that are empty", () => {
    assert.throws(() => Axon.start(""), code("AXON_NAME_INVALID", /Axon needs a name/));
    assert.throws(
      () => Axon.start("a").thenFn("", () => 1),
      code("AXON_NAME_INVALID", /Step of Axon 'a' needs a name/),
    );
    assert.throws(() => Axon.start("a").label(""), code("AXON_NAME_INVALID", /Label of Axon 'a'/));
    assert.throws(
      () => untyped(Axon.start("a")).then({ run: () => 1 }),
      code("AXON_NAME_INVALID", /needs a name/),
    );
    assert.throws(() => untyped(Axon.start("a")).then(undefined), code("AXON_NAME_INVALID", /needs a name/));
  });

  test("refuses a step without a function", () => {
    assert.throws(
      () => untyped(Axon.start("a")).then({ name: "s" }),
      code("AXON_STEP_INVALID", /Step 's' of Axon 'a' has no function 'run'/),
    );
  });

  test("refuses two labels of one name", () => {
    assert.throws(
      () => Axon.start("a").label("x").label("x"),
      code("AXON_LABEL_DUPLICATE", /two labels 'x'/),
    );
  });

  test("refuses a branch the last step does not declare, and a second one under one id", () => {
    const side = Axon.start<number>("side");
    const go = Axon.start<number>("a").thenFn("go", (n) => branch("s", n), { branches: ["s"] });

    assert.throws(
      () => untyped(go).branch("t", side),
      code("AXON_BRANCH_UNDECLARED", /attaches branch 't' after step 'go', which does not declare it/),
    );
    assert.throws(
      () => untyped(Axon.start("a")).branch("t", side),
      code("AXON_BRANCH_UNDECLARED", /before the first step/),
    );
    assert.throws(
      () => untyped(go.branch("s", side)).branch("s", side),
      code("AXON_BRANCH_DUPLICATE", /branch 's' has an Axon already/),
    );
  });

  test("refuses a limit of jumps that is no whole number", () => {
    for (const limit of [-1, 1.5, Number.NaN])
      assert.throws(() => Axon.start("a").withMaxJumps(limit), code("CONFIG_INVALID", /withMaxJumps/));
  });
});

describe("the first run of an Axon", () => {
  test("refuses an open branch, naming step and remedy", () => {
    const open = Axon.start<number>("a").thenFn("go", (n) => branch("s", n), { branches: ["s"] });

    assert.throws(
      () => untyped(open).execute(1),
      code("AXON_BRANCH_OPEN", /step 'go': branch 's' has no Axon; call \.branch\('s', axon\)/),
    );
  });

  test("refuses a jump to nothing, naming the labels there are", () => {
    const lost = Axon.start<number>("a")
      .label("here")
      .thenFn("go", (n) => jump("there", n), { jumps: ["there"] });

    assert.throws(
      () => untyped(lost).execute(1),
      code("AXON_JUMP_UNRESOLVED", /step 'go' jumps to 'there', .*\(it has 'here'\)/),
    );
  });

  test("refuses a schema that does not compile", () => {
    assert.throws(
      () => Axon.start("a", Type.String({ pattern: "(" })).execute("x"),
      code("SCHEMA_INVALID", /Axon 'a', input: .*no regular expression/),
    );
  });

  test("refuses keys that nobody provides", () => {
    const reading = Axon.start("a").thenFn("read", (_, bus) => bus.get(Plan), { reads: [Plan] });

    assert.throws(
      () => untyped(reading).execute(),
      code("KEYS_UNPROVIDED", /'Plan' for step 'read' of Axon 'a' \(no step writes it\)/),
    );
    assert.equal(reading.execute(undefined, Bus.of([[Plan, "gold"]])), "gold");
  });

  test("refuses two keys of one name", () => {
    const Other = busKey<string>()("Plan");
    const mixed = Axon.start("a")
      .thenFn("write", (_, bus) => bus.set(Plan, "x"), { writes: [Plan] })
      .thenFn("read", (_, bus) => bus.find(Other), { mayRead: [Other] });

    assert.throws(() => mixed.execute(), code("BUS_KEY_AMBIGUOUS", /Axon 'a' uses two keys named 'Plan'/));
  });

  test("compiles once", () => {
    let reads = 0;
    const step = {
      name: "s",
      get run() {
        reads += 1;
        return () => 1;
      },
    };
    const axon = untyped(Axon.start("a")).then(step);
    axon.execute();
    const afterOne = reads;
    axon.execute();
    axon.execute();

    assert.ok(reads - afterOne <= 2, "each run reads the function, none compiles again");
  });
});

describe("schemas of an Axon", () => {
  const strict = Axon.start("in", Type.Number({ minimum: 1 })).thenFn("half", (n) => n / 2);

  test("refuse an input with the errors", () => {
    const outcome = untyped(strict).execute(0) as { error: { code: string; axon: string; errors: unknown } };

    assert.ok(isFault(outcome));
    assert.deepEqual(
      { ...outcome.error },
      {
        code: "INPUT_INVALID",
        axon: "in",
        errors: [{ pointer: "", keyword: "minimum", expected: "at least 1" }],
      },
    );
    assert.equal(strict.execute(4), 2);
  });

  test("may be added later", () => {
    const axon = Axon.start<number>("later")
      .thenFn("half", (n) => n / 2)
      .withInputSchema(Type.Number({ minimum: 1 }))
      .withOutputSchema(Type.Number({ maximum: 2 }));

    assert.equal(axon.execute(4), 2);
    assert.ok(isFault(axon.execute(0)));
    assert.ok(isFault(axon.execute(10)), "outside production outputs are checked");
  });

  test("let an output pass where they are told to", () => {
    const axon = Axon.start<number>("pass").withOutputSchema(Type.Number({ maximum: 2 }), { check: "pass" });

    assert.equal(axon.execute(10), 10);
    assert.throws(() => Axon.start("typo").withOutputSchema(Type.Void(), { chek: "pass" } as object), {
      code: "CONFIG_INVALID",
      message: /^withOutputSchema of Axon 'typo': 'chek' .*; there are check$/,
    });
  });

  test("of the last step are those of the output", () => {
    const half = transition({ name: "half", output: Type.Number({ maximum: 2 }), run: (n: number) => n / 2 });

    assert.ok(isFault(Axon.start<number>("o").then(half).execute(10)));
    assert.equal(
      Axon.start<number>("o")
        .then(half)
        .thenFn("after", (n) => n)
        .execute(10),
      5,
    );
  });
});

describe("execute", () => {
  test("takes a Bus and a signal", async () => {
    const axon = Axon.start<number>("s").thenFn(
      "wait",
      async (n, bus) => `${n} ${bus.get(Plan)} ${bus.signal.aborted}`,
      { reads: [Plan] },
    );
    const controller = new AbortController();

    assert.equal(await axon.execute(1, Bus.of([[Plan, "gold"]]), controller.signal), "1 gold false");
  });

  test("leaves out values of keys that no step declares", () => {
    assert.equal(Axon.start<number>("s").execute(1, Bus.of([[Plan, "gold"]])), 1);
  });

  // P3: the idle state is gone, and another made.
  test("may run inside a run of itself", () => {
    const depth = busKey<number>()("Depth");
    const axon: { execute(n: number): unknown } = Axon.start<number>("nest")
      .thenFn(
        "remember",
        (n, bus) => {
          bus.set(depth, n);
          return n;
        },
        { writes: [depth] },
      )
      .thenFn("deeper", (n) => (n > 0 ? (axon.execute(n - 1) as number) : 0))
      .thenFn("add", (n, bus) => n + bus.get(depth), { reads: [depth] });

    assert.equal(axon.execute(4), 10);
  });

  test("works as a function of its own, and lets go of the caller's signal", async () => {
    const axon = Axon.start<number>("s").thenFn("wait", async (n) => n);
    axon.execute(1);
    const { execute } = axon;
    const { signal } = new AbortController();
    await Promise.all([
      execute(1, undefined, signal),
      Axon.start<number>("sync").execute(1, undefined, signal),
    ]);

    assert.equal(getEventListeners(signal, "abort").length, 0);
  });
});
