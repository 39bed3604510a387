import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, busKey, jump, layer, RetryPolicy, transition } from "framework";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { missingKeys } from "#runtime/check/definite-assignment.js";
import { Program } from "#runtime/compile/program.js";
import { noSupply, type Supply } from "#runtime/run/bus-layout.js";

const K = busKey<string>()("K");

const write = transition({
  name: "write",
  writes: [K],
  run: (n: number, bus) => {
    bus.set(K, "k");
    return n;
  },
});
const read = transition({ name: "read", reads: [K], run: (n: number, bus) => n + bus.get(K).length });
const missing = (axon: { readonly definition: AnyAxon["definition"] }, given: readonly (typeof K)[] = []) =>
  missingKeys("x", new Program(axon.definition).code, given);

describe("a key that a step reads", () => {
  test("is there when every path has written it, or it is given", () => {
    assert.deepEqual(missing(Axon.start<number>("x").then(write).then(read)), []);
    assert.deepEqual(missing(Axon.start<number>("x").then(read), [K]), []);
  });

  test("is missing where no step writes it", () => {
    assert.deepEqual(missing(Axon.start<number>("x").then(read)), [
      "'K' for step 'read' of Axon 'x' (no step writes it)",
    ]);
  });

  test("is missing where a jump goes round the step that writes it, and the path is told", () => {
    const axon = Axon.start<number>("x")
      .thenFn("skip", (n) => (n > 0 ? jump("on", n) : n), { jumps: ["on"] })
      .then(write)
      .label("on")
      .then(read);

    assert.deepEqual(missing(axon), ["'K' for step 'read' of Axon 'x' (unwritten on the path skip -> read)"]);
  });

  test("is missing after a branch where only the branch writes it", () => {
    const side = Axon.start<number>("side").then(write);
    const axon = Axon.start<number>("x")
      .thenFn("go", (n) => (n > 0 ? branch("s", n) : n), { branches: ["s"] })
      .branch("s", side)
      .then(read);

    assert.deepEqual(missing(axon), ["'K' for step 'read' of Axon 'x' (unwritten on the path go -> read)"]);
  });

  test("is missing in the branch of the step that writes it, which promises that for Next alone", () => {
    const side = Axon.start<number>("side").then(read);
    const go = transition({
      name: "go",
      writes: [K],
      branches: ["s"],
      run: (n: number, bus) => {
        if (n > 0) return branch("s", n);
        bus.set(K, "k");
        return n;
      },
    });

    assert.deepEqual(missing(Axon.start<number>("x").then(go).branch("s", side)), [
      "'K' for step 'read' of Axon 'x' (unwritten on the path go -> read)",
    ]);
  });

  test("is there in a branch that the main line wrote it for", () => {
    const side = Axon.start<number>("side").then(read);
    const axon = Axon.start<number>("x")
      .then(write)
      .thenFn("go", (n) => branch("s", n), { branches: ["s"] })
      .branch("s", side);

    assert.deepEqual(missing(axon), []);
  });

  test("stays there through a loop", () => {
    const axon = Axon.start<number>("x")
      .then(write)
      .label("again")
      .then(read)
      .thenFn("check", (n) => (n < 5 ? jump("again", n) : n), { jumps: ["again"] });

    assert.deepEqual(missing(axon), []);
  });

  test("is missing where the way round the step that writes it is the longer one", () => {
    const axon = Axon.start<number>("x")
      .thenFn("go", (n) => (n > 0 ? jump("write", n) : n), { jumps: ["write"] })
      .thenFn("plain", (n) => n)
      .thenFn("skip", (n) => (n > 0 ? jump("read", n) : n), { jumps: ["read"] })
      .label("write")
      .then(write)
      .label("read")
      .then(read);

    assert.deepEqual(missing(axon), [
      "'K' for step 'read' of Axon 'x' (unwritten on the path go -> plain -> skip -> read)",
    ]);
  });

  test("is there or missing behind a subgraph that is tried again, as its own line has it", () => {
    const retry = RetryPolicy.fixed(1, 0);
    const behind = (inner: Axon<number, number, never, never, any, never, never, never, any>) => {
      const nested = Axon.start<number>("nested").thenWithRetry(inner.asTransition(), retry);
      return Axon.start<number>("x").thenWithRetry(nested.asTransition(), retry).then(read);
    };

    assert.deepEqual(missing(behind(Axon.start<number>("inner").then(write))), []);
    assert.deepEqual(missing(behind(Axon.start<number>("inner").thenFn("plain", (n) => n))), [
      "'K' for step 'read' of Axon 'x' (no step writes it)",
    ]);
  });

  test("is missing where what undoes a step reads it, but for what that step writes", () => {
    const undo = transition({ name: "undo", reads: [K], run: (_: unknown, bus) => void bus.get(K) });
    const begin = Axon.start<number>("x");

    assert.deepEqual(missing(begin.thenCompensated({ name: "do", run: (n: number) => n }, undo)), [
      "'K' for step 'do' of Axon 'x' (no step writes it)",
    ]);
    assert.deepEqual(missing(begin.thenCompensated(write, undo)), []);
  });

  test("is not asked for where no path leads", () => {
    assert.deepEqual(missingKeys("x", [], []), []);
  });
});

describe("a key that a step may delete", () => {
  const begin = Axon.start<number>("x");
  const passed = (n: number): number => n;
  const drop = transition({ name: "drop", deletes: [K], run: passed });
  const refuses = (axon: { readonly definition: AnyAxon["definition"] }, why: string, given = false): void =>
    assert.deepEqual(missing(axon, given ? [K] : []), [`'K' for ${why}`]);

  test("is missing afterwards, and the path is told", () => {
    refuses(
      begin.then(write).then(drop).thenFn("plain", passed).then(read),
      "step 'read' of Axon 'x' (deleted by 'drop' on the path write -> drop -> plain -> read)",
    );
    refuses(
      begin.then(drop).then(read),
      "step 'read' of Axon 'x' (deleted by 'drop' on the path drop -> read)",
      true,
    );
  });

  test("is there where it was read before, or written again", () => {
    assert.deepEqual(missing(begin.then(write).then(read).then(drop)), []);
    assert.deepEqual(missing(begin.then(write).then(drop).then(write).then(read)), []);
    const renew = transition({ name: "renew", writes: [K], deletes: [K], run: passed });
    assert.deepEqual(missing(begin.then(write).then(renew).then(read)), []);
  });

  test("is missing where only one of the ways deletes it", () => {
    const way = "drop -> read)";
    const side = begin
      .then(write)
      .thenFn("go", (n) => (n > 0 ? branch("s", n) : n), { branches: ["s"] })
      .branch("s", Axon.start<number>("side").then(drop))
      .then(read);
    const nested = begin.then(write).subgraph(Axon.start<number>("inner").then(drop)).then(read);
    const loop = begin
      .then(write)
      .label("again")
      .then(read)
      .then(drop)
      .thenFn("check", (n) => (n < 5 ? jump("again", n) : n), { jumps: ["again"] });

    refuses(side, `step 'read' of Axon 'x' (deleted by 'drop' on the path write -> go -> ${way}`);
    refuses(nested, `step 'read' of Axon 'x' (deleted by 'drop' on the path write -> ${way}`);
    refuses(
      loop,
      "step 'read' of Axon 'x' (deleted by 'drop' on the path write -> read -> drop -> check -> read)",
    );
  });

  test("is missing in the branch and at the label that the step itself sends the run to", () => {
    const either = { ...drop, run: (n: number) => n, writes: [K] };
    const branching = begin
      .then(write)
      .then({ ...either, branches: ["s"], run: (n: number) => branch("s", n) })
      .branch("s", Axon.start<number>("side").then(read));
    const jumping = begin
      .then(write)
      .then({ ...either, jumps: ["on"], run: (n: number) => (n > 0 ? jump("on", n) : n) })
      .then(write)
      .label("on")
      .then(read);

    const why = "step 'read' of Axon 'x' (deleted by 'drop' on the path write -> drop -> read)";
    refuses(branching, why);
    refuses(jumping, why);
  });

  test("is missing at the next try of what deletes it", () => {
    const retry = RetryPolicy.fixed(1, 0);
    const take = transition({ name: "take", reads: [K], deletes: [K], run: passed });
    const inner = Axon.start<number>("inner").then(read).then(drop);

    assert.deepEqual(missing(begin.then(write).then(take)), []);
    refuses(
      begin.then(write).thenWithRetry(take, retry),
      "step 'take' of Axon 'x' (deleted by 'take' on the path write -> take -> take)",
    );
    assert.deepEqual(missing(begin.then(write).subgraph(inner)), []);
    refuses(
      begin.then(write).thenWithRetry(inner.asTransition(), retry),
      "step 'read' of Axon 'x' (deleted by 'drop' on the path write -> inner -> read -> drop -> inner -> read)",
    );
    const around = Axon.start<number>("around").thenWithTimeout(inner.asTransition(), 5);
    refuses(
      begin.then(write).thenWithRetry(around.asTransition(), retry),
      "step 'read' of Axon 'x' (deleted by 'drop' on the path write -> around -> inner -> read -> drop -> around -> inner -> read)",
    );
  });

  test("is still there behind steps at once, which have copies of the Bus", () => {
    const undo = transition({ name: "undo", reads: [K], run: (_: unknown, bus) => bus.get(K) });

    assert.deepEqual(
      missing(
        begin
          .then(write)
          .parallel([drop], "AllMustSucceed", () => 1)
          .then(read),
      ),
      [],
    );
    assert.deepEqual(
      missing(begin.thenCompensated(write, undo).parallel([drop], "AllMustSucceed", () => 1)),
      [],
    );
  });

  test("is missing for what undoes a step before", () => {
    const undo = transition({ name: "undo", reads: [K], run: (_: unknown, bus) => bus.get(K) });
    const pay = transition({ name: "pay", run: passed });

    refuses(
      begin.then(write).thenCompensated(pay, undo).thenFn("plain", passed).then(drop).then(write),
      "what undoes step 'pay' of Axon 'x' (deleted by 'drop' on the path pay -> plain -> drop)",
    );
    refuses(
      begin.then(write).thenCompensated(drop, undo),
      "what undoes step 'drop' of Axon 'x' (deleted by 'drop' on the path drop)",
    );
    assert.deepEqual(missing(begin.then(write).then(drop).then(write).thenCompensated(pay, undo)), []);
  });

  test("stops an untyped caller at the first run", () => {
    const axon = begin.then(write).then(drop).then(read) as unknown as { execute(n: number): unknown };

    assert.throws(() => axon.execute(1), {
      code: "KEYS_UNPROVIDED",
      message:
        /'K' for step 'read' of Axon 'x' \(deleted by 'drop' on the path write -> drop -> read\)\. .*: in 'resources', .*'mayUse', or 'mayRead' and find$/,
    });
  });
});

describe("a key that a layer may delete", () => {
  const drop = layer({
    name: "drop",
    deletes: [K],
    run: (bus, next) => {
      bus.delete(K);
      return next();
    },
  });
  const inside = (axon: { readonly definition: AnyAxon["definition"] }): readonly string[] =>
    missingKeys("x", new Program(axon.definition, { around: [drop] }).code, [K]);
  const begin = Axon.start<number>("x");

  test("is missing inside it, unless it is written there", () => {
    assert.deepEqual(inside(begin.then(read)), [
      "'K' for step 'read' of Axon 'x' (deleted by 'drop' on the path drop -> read)",
    ]);
    assert.deepEqual(inside(begin.then(write).then(read)), []);
  });

  test("is missing for what undoes a step inside, for it may be deleted behind that", () => {
    const undo = transition({ name: "undo", reads: [K], run: () => undefined });

    assert.deepEqual(inside(begin.thenCompensated(write, undo)), [
      "'K' for what undoes step 'write' of Axon 'x' (deleted by 'drop' on the path write -> drop)",
    ]);
  });

  test("is deleted by no layer that does not declare it", async () => {
    const forgetful = { ...drop, deletes: [] };
    const program = (production: boolean, given: typeof forgetful) => {
      const axon = begin.then(write).then(read).definition;
      const layers = [{ layer: given, occurrence: 0 }];
      return new Program({ ...axon, layers }, { production, input: { run: () => 1 } });
    };
    const run = (made: Program) => made.run(undefined, made.acquire());

    assert.equal(run(program(false, drop as never)), 2);
    const refused = run(program(false, forgetful)) as { readonly error: { readonly cause: Error } };
    assert.match(refused.error.cause.message, /'drop' called delete\('K'\) without declaring it/);
  });
});

describe("what a server gives to its runs", () => {
  const program = (step: object, supply: Partial<Supply>) =>
    new Program(Axon.start("x").then({ name: "take", run: () => 1, ...step }).definition, {
      supply: { ...noSupply, ...supply },
    });
  const constants = new Map([[K, "shared"]]);
  const lazy = new Map([[K, () => "made"]]);

  test("cannot be written or deleted where all runs share it, deep inside either", () => {
    const why = /Step 'take' of Axon 'x' .*'K', .*that all runs share/;
    for (const step of [{ writes: [K] }, { mayWrite: [K] }, { deletes: [K] }])
      assert.throws(() => program(step, { constants }), { code: "AXON_STEP_INVALID", message: why });
    const inner = Axon.start<number>("inner").thenFn("take", (n) => n, { mayWrite: [K] });
    const outer = Axon.start<number>("x")
      .parallel([inner.asTransition()], "AllMustSucceed", () => 1)
      .thenFn("go", (n) => branch("s", n), { branches: ["s"] });
    for (const axon of [outer.branch("s", Axon.start<number>("side")), outer.branch("s", inner)])
      assert.throws(() => new Program(axon.definition, { supply: { ...noSupply, constants } }), why);
    program({ reads: [K] }, { constants });
  });

  test("can be written, but not deleted, where it is made for each run", () => {
    program({ writes: [K] }, { lazy });
    assert.throws(() => program({ deletes: [K] }, { lazy }), /deletes 'K', which the next read/);
  });
});
