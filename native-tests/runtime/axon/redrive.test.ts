import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Bus,
  branch,
  busKey,
  DlqPolicy,
  ExecutionMode,
  FencingToken,
  fault,
  isFault,
  jump,
  MemoryDeadLetters,
  MemoryLocks,
  RetryPolicy,
  redrive,
  redriveAll,
  transition,
} from "framework";
import type { DeadLetter, LockLease } from "framework/core";
import { AxonTestKit } from "framework/runtime";

const Rate = busKey<number>()("Rate");

/** A shop whose bank is down until told otherwise. */
function shop() {
  const bank = { isUp: false, calls: 0, booked: [] as string[] };
  const pay = transition({
    name: "pay",
    reads: [Rate],
    run: (n: number, bus) => {
      bank.calls += 1;
      return bank.isUp ? n * bus.get(Rate) : fault("bank is down");
    },
  });
  const letters = new MemoryDeadLetters();
  const axon = Axon.start<number>("shop")
    .thenFn("price", (n) => n + 1)
    .then(pay)
    .thenFn("ship", (n) => ({ shipped: n }))
    .withDlqSink(letters);
  const bus = Bus.of([[Rate, 2]]);
  return { bank, letters, axon, bus };
}

const only = (letters: MemoryDeadLetters): string => {
  const [letter, ...more] = letters.list();
  assert.equal(more.length, 0);
  return letter?.id ?? "";
};

describe("dead letters", () => {
  test("is one of many that are done again one after another, as many as are asked for, until the loop is left", async () => {
    const { axon, letters, bank } = shop();
    for (const id of ["1", "2", "3", "4"]) letters.send({ ...letterOf(), id });
    letters.send({ ...letterOf(), id: "other", axon: "other" });
    bank.isUp = true;
    const kinds: string[] = [];
    for await (const { id, kind } of redriveAll(letters, axon, { limit: 3 }, Bus.of([[Rate, 2]]))) {
      kinds.push(`${id} ${kind}`);
      if (kinds.length === 2) break;
    }

    assert.deepEqual(kinds, ["1 done", "2 done"]);
    assert.deepEqual(
      letters.list().map(({ id }) => id),
      ["3", "4", "other"],
    );
  });

  test("is left alone where parts of its values could not be kept", async () => {
    const { axon, letters, bank } = shop();
    letters.send({ ...letterOf(), lost: ["input.card"] });

    assert.deepEqual(await redrive(letters, "lost", axon), { kind: "incomplete", lost: ["input.card"] });
    assert.equal(bank.calls, 0);
  });

  test("are kept where the caller gives a signal too", async () => {
    const { letters, axon, bus } = shop();
    await axon.execute(1, bus, new AbortController().signal);

    assert.equal(letters.list()[0]?.node, "shop/pay");
  });

  test("have no trace of the run before, where the one that failed last has none", async () => {
    const { letters, axon, bus } = shop();
    await axon.execute(1, bus);
    const store = new MemoryDeadLetters();
    const trace = { trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: "b7ad6b7169203331" };
    await store.send({ ...(letters.list()[0] as DeadLetter), trace });
    assert.equal((await redrive(store, only(store), axon, bus)).kind, "failed");

    assert.equal(store.list()[0]?.attempts, 2);
    assert.equal(store.list()[0]?.trace, undefined);
  });

  test("have the ids that a test wants", async () => {
    const { letters, axon } = shop();
    await new AxonTestKit({ Rate: 2 }, { newId: () => "letter-1" }).run(axon, 1);

    assert.equal(letters.list()[0]?.id, "letter-1");
  });
});

describe("re-drive", () => {
  test("counts in a letter that there is what its policy would send none for now", async () => {
    const { letters, axon, bus } = shop();
    await axon.execute(1, bus);
    const choosy = axon.withDlqPolicy(DlqPolicy.send().sendIf(() => false));

    assert.equal((await redrive(letters, only(letters), choosy, bus)).kind, "failed");
    assert.equal(letters.list()[0]?.attempts, 2);
    await choosy.execute(1, bus);
    assert.equal(letters.list().length, 1);
  });

  test("is under the lock of an Axon that runs once at a time, and is busy while that is taken", async () => {
    const locks = new MemoryLocks();
    const letters = new MemoryDeadLetters();
    const world = { fails: true, tokens: [] as number[] };
    const undo = transition({
      name: "undo",
      reads: [FencingToken],
      run: (_: unknown, bus) => {
        world.tokens.push(bus.get(FencingToken));
        return world.fails ? fault("not undone") : 1;
      },
    });
    const axon = Axon.start<number>("once")
      .withExecutionMode(ExecutionMode.singleton("k", 1000, locks))
      .withDlqSink(letters)
      .thenCompensated(transition({ name: "do", run: (n: number) => n }), undo as never)
      .thenFn("no", (n) => (world.fails ? fault("no") : n));
    await axon.execute(1);
    world.fails = false;
    const [undoing, step] = letters.list();
    assert.deepEqual([undoing?.kind, step?.kind], ["compensation", "step"]);
    const lease = locks.acquire("k", 1000);

    const again = (letter: DeadLetter | undefined) =>
      redrive(letters, letter?.id ?? "", axon, undefined, undefined, { skipUndone: true });
    for (const letter of [undoing, step]) assert.deepEqual(await again(letter), { kind: "busy" });
    assert.deepEqual(letters.list(), [undoing, step]);
    locks.release(lease as LockLease);
    for (const letter of [undoing, step]) assert.deepEqual(await again(letter), { kind: "done", outcome: 1 });
    assert.deepEqual(world.tokens, [1, 3]);
    assert.ok(locks.acquire("k", 1), "given back");
  });

  test("goes on from the step that failed, with its input, and removes the letter", async () => {
    const { bank, letters, axon, bus } = shop();
    assert.ok(isFault(await axon.execute(1, bus)));
    bank.isUp = true;

    assert.deepEqual(await redrive(letters, only(letters), axon, bus), {
      kind: "done",
      outcome: { shipped: 4 },
    });
    assert.deepEqual(letters.list(), []);
  });

  test("that fails again keeps one letter, which counts it", async () => {
    const { letters, axon, bus } = shop();
    await axon.execute(1, bus);
    const id = only(letters);

    for (const attempts of [2, 3]) {
      assert.equal((await redrive(letters, id, axon, bus)).kind, "failed");
      assert.equal(only(letters), id);
      assert.equal(letters.get(id)?.attempts, attempts);
    }
  });

  test("counts also where the Axon's sink is another", async () => {
    const { letters, axon, bus } = shop();
    await axon.execute(1, bus);
    const id = only(letters);
    const others: (readonly [string, number])[] = [];
    const other = { send: (letter: DeadLetter) => void others.push([letter.id, letter.attempts]) };
    await redrive(letters, id, axon.withDlqSink(other), bus);

    assert.equal(letters.get(id)?.attempts, 2);
    assert.deepEqual(others, [[id, 2]]);
  });

  test("of an unknown letter, or one that is being re-driven, does nothing", async () => {
    const { bank, letters, bus } = shop();
    const slow = Axon.start<number>("shop")
      .thenFn("pay", async () => {
        bank.calls += 1;
        await new Promise((resolve) => setImmediate(resolve));
        return bank.isUp ? 1 : fault("down");
      })
      .withDlqSink(letters);
    await slow.execute(1);
    bank.isUp = true;
    const id = only(letters);
    const both = await Promise.all([redrive(letters, id, slow, bus), redrive(letters, id, slow, bus)]);

    assert.deepEqual(
      both.map(({ kind }) => kind),
      ["done", "busy"],
    );
    assert.equal(bank.calls, 2);
    assert.deepEqual(await redrive(letters, "nothing", slow), { kind: "unknown" });
  });

  test("does a compensation again that failed", async () => {
    const { bank, letters } = shop();
    const refund = ({ input }: { input: number }) =>
      bank.isUp ? void bank.booked.push(`refund ${input}`) : fault("down");
    const axon = Axon.start<number>("s")
      .thenCompensated({ name: "charge", run: (n: number) => n }, refund, { retry: RetryPolicy.fixed(1, 0) })
      .thenFn("refuse", (n) => (n > 0 ? fault("no") : n))
      .withDlqSink(letters);
    await axon.execute(5);
    const id = letters.list().find(({ kind }) => kind === "compensation")?.id ?? "";

    assert.equal((await redrive(letters, id, axon)).kind, "failed");
    bank.isUp = true;
    assert.equal((await redrive(letters, id, axon)).kind, "done");
    assert.deepEqual(bank.booked, ["refund 5"]);
    await assert.rejects(
      async () => {
        letters.send({
          ...(letters.list()[0] as never as object),
          id: "x",
          kind: "compensation",
          node: "s/lost",
        } as never);
        await redrive(letters, "x", axon);
      },
      { code: "AXON_NODE_UNKNOWN" },
    );
  });

  test("of a compensation that throws, rejects or leads nowhere has failed", async () => {
    const { letters } = shop();
    const answers: (() => unknown)[] = [
      () => fault("down"),
      () => {
        throw new Error("down");
      },
      () => Promise.reject(new Error("down")),
      () => branch("nowhere", 1),
      () => undefined,
    ];
    const axon = Axon.start<number>("s")
      .thenCompensated({ name: "charge", run: (n: number) => n }, () => answers.shift()?.())
      .thenFn("refuse", (n) => (n > 0 ? fault("no") : n))
      .withDlqSink(letters);
    await axon.execute(5);
    const id = letters.list().find(({ kind }) => kind === "compensation")?.id ?? "";

    for (const attempts of [2, 3, 4]) {
      assert.equal((await redrive(letters, id, axon)).kind, "failed");
      assert.equal(letters.get(id)?.attempts, attempts);
    }
    assert.equal((await redrive(letters, id, axon)).kind, "done");
  });

  test("that succeeds leaves nothing of its letter to the next run", async () => {
    const { bank, letters, axon, bus } = shop();
    await axon.execute(1, bus);
    const id = only(letters);
    bank.isUp = true;
    await redrive(letters, id, axon, bus);
    bank.isUp = false;
    await axon.executeFrom("shop/pay", 5, bus);

    assert.notEqual(only(letters), id);
    assert.equal(letters.list()[0]?.attempts, 1);
  });

  test("finds the letter of a run that had a signal", async () => {
    const { bank, letters, axon, bus } = shop();
    assert.ok(isFault(await axon.execute(1, bus, new AbortController().signal)));
    bank.isUp = true;

    assert.equal((await redrive(letters, only(letters), axon, bus)).kind, "done");
  });

  test("begins at the first step that the run undid, with its input, or at the one that failed if told", async () => {
    const done: string[] = [];
    const letters = new MemoryDeadLetters();
    let isUp = false;
    const step = (name: string) => ({
      name,
      run: (n: number) => {
        done.push(`${name} ${n}`);
        return n + 1;
      },
    });
    const axon = Axon.start<number>("s")
      .then(step("look"))
      .thenCompensated(step("reserve"), () => void done.push("free"))
      .thenCompensated(step("charge"), () => void done.push("refund"))
      .thenFn("ship", (n) => (isUp ? n : fault("down")))
      .withDlqSink(letters);
    await axon.execute(1);
    const [letter] = letters.list();
    assert.deepEqual(letter?.undone, [
      { node: "s/reserve", input: 2 },
      { node: "s/charge", input: 3 },
    ]);
    done.length = 0;

    assert.equal((await redrive(letters, letter.id, axon)).kind, "failed");
    assert.deepEqual(done, ["reserve 2", "charge 3", "refund", "free"]);
    done.length = 0;
    isUp = true;
    const [again] = letters.list();
    assert.deepEqual(again?.undone, letter.undone);
    assert.deepEqual(await redrive(letters, letter.id, axon), { kind: "done", outcome: 4 });
    assert.deepEqual(done, ["reserve 2", "charge 3"]);

    await letters.send(letter);
    done.length = 0;
    const skipping = redriveAll(letters, axon, { skipUndone: true });
    assert.equal((await skipping.next()).value?.kind, "done");
    assert.deepEqual(done, []);
  });

  test("begins at the first step of a loop that was undone, as it was completed first", async () => {
    const done: string[] = [];
    const letters = new MemoryDeadLetters();
    const axon = Axon.start<number>("s")
      .label("again")
      .thenCompensated({ name: "reserve", run: (n: number) => done.push(`reserve ${n}`) && n }, () => {})
      .thenFn("next", (n) => (n < 3 ? jump("again", n + 1) : n), { jumps: ["again"] })
      .thenFn("pay", () => fault("down"))
      .withDlqSink(letters);
    await axon.execute(1);
    done.length = 0;
    await redrive(letters, only(letters), axon);

    assert.deepEqual(done, ["reserve 1", "reserve 2", "reserve 3"]);
  });

  test("runs nothing where a compensation failed: what its step did would be done twice", async () => {
    const done: string[] = [];
    const letters = new MemoryDeadLetters();
    const axon = Axon.start<number>("s")
      .thenCompensated({ name: "charge", run: (n: number) => done.push("charge") && n }, () => fault("down"))
      .thenFn("ship", () => fault("down"))
      .withDlqSink(letters);
    await axon.execute(1);
    const letter = letters.list().find(({ kind }) => kind === "step");
    const refused = await redrive(letters, letter?.id ?? "", axon);

    const { reason, ...rest } = refused as { readonly reason: string };
    assert.deepEqual(rest, { kind: "would_skip", undone: ["s/charge"] });
    assert.match(reason, /'s\/charge' failed, .*twice$/);
    assert.deepEqual(done, ["charge"]);
  });

  test("runs nothing where a step inside a parallel one was undone, unless told to skip it", async () => {
    const done: string[] = [];
    const letters = new MemoryDeadLetters();
    let isUp = false;
    const booking = (name: string) =>
      Axon.start<number>(name)
        .thenCompensated({ name, run: (n: number) => done.push(name) && n }, () => {})
        .asTransition();
    const axon = Axon.start<number>("s")
      .parallel([booking("cabin"), booking("car")], "AllMustSucceed", ([cabin]) => cabin, { name: "book" })
      .thenFn("pay", (n) => (isUp ? n : fault("down")))
      .withDlqSink(letters);
    await axon.execute(1);
    const id = only(letters);
    done.length = 0;
    isUp = true;
    const refused = await redrive(letters, id, axon);

    assert.equal(refused.kind, "would_skip");
    assert.match(JSON.stringify(refused), /cabin.*car.*cannot begin at/);
    assert.deepEqual(done, []);
    const skipped = await redrive(letters, id, axon, undefined, undefined, { skipUndone: true });
    assert.equal(skipped.kind, "done");
  });

  test("lets what it throws out, and can be tried again", async () => {
    const { letters, axon, bank } = shop();
    await axon.execute(1, Bus.of([[Rate, 2]]));
    const id = only(letters);
    bank.isUp = true;

    await assert.rejects(redrive(letters, id, axon), {
      code: "KEYS_UNPROVIDED",
      message: /'Rate' for step 'pay'/,
    });
    assert.equal((await redrive(letters, id, axon, Bus.of([[Rate, 3]]))).kind, "done");
  });
});

describe("executeFrom", () => {
  const vip = Axon.start<number>("vip").thenFn("thank", (n) => n + 100);
  const inner = Axon.start<number>("inner").thenFn("deep", (n) => n + 1000);
  const axon = Axon.start<number>("a")
    .thenFn("one", (n) => n + 1)
    .thenFn("two", (n) => (n > 5 ? branch("vip", n) : n), { branches: ["vip"] })
    .branch("vip", vip)
    .subgraph(inner)
    .parallel([transition({ name: "p", run: (n: number) => n })], "AllMustSucceed", ([n]) => n)
    .thenFn("last", (n) => n * 2);

  test("runs from any node of its line on, in branches and subgraphs too", async () => {
    assert.equal(axon.executeFrom("a/one", 1), 2004);
    assert.equal(axon.executeFrom("a/two", 10), 2220);
    assert.equal(axon.executeFrom("a/two:vip/thank", 1), 2202);
    assert.equal(axon.executeFrom("a/inner/deep", 1), 2002);
    assert.equal(axon.executeFrom("a/inner", 1), 2002);
    assert.equal(axon.executeFrom("a:in", 1), 2004);
    assert.equal(axon.executeFrom("a/parallel", 1), 2);
    assert.equal(axon.executeFrom("a/last", 1), 2);
  });

  test("says which nodes there are where one is unknown, or stands inside a step", () => {
    for (const node of ["a/lost", "a/parallel/p", "a:out"])
      assert.throws(() => axon.executeFrom(node, 1), {
        code: "AXON_NODE_UNKNOWN",
        message:
          /use one of 'a\/one', 'a\/two', 'a\/inner\/deep', 'a\/inner', 'a\/parallel', 'a\/last', 'a\/two:vip\/thank'/,
      });
    assert.throws(() => Axon.start("e").executeFrom("x", 1), { message: /it has no steps/ });
  });

  test("needs what the rest reads and nothing before it writes", () => {
    const reading = Axon.start<number>("r")
      .thenFn(
        "write",
        (n, bus) => {
          bus.set(Rate, n);
          return n;
        },
        { writes: [Rate] },
      )
      .thenFn("read", (n, bus) => n * bus.get(Rate), { reads: [Rate] });

    assert.equal(reading.executeFrom("r/write", 3), 9);
    assert.throws(() => reading.executeFrom("r/read", 3), { code: "KEYS_UNPROVIDED" });
    assert.equal(reading.executeFrom("r/read", 3, Bus.of([[Rate, 5]])), 15);
  });

  test("follows a signal, and undoes what it completes", async () => {
    const undone: number[] = [];
    const saga = Axon.start<number>("s")
      .thenFn("before", (n) => n)
      .thenCompensated({ name: "book", run: (n: number) => n + 1 }, ({ output }) => void undone.push(output))
      .thenFn("hang", () => new Promise<number>(() => {}));
    const controller = new AbortController();
    const running = saga.executeFrom("s/book", 1, undefined, controller.signal);
    controller.abort();

    assert.ok(isFault(await running));
    assert.deepEqual(undone, [2]);
  });

  test("runs through a subgraph that is empty", () => {
    const through = Axon.start<number>("t")
      .subgraph(Axon.start<number>("nothing"))
      .thenFn("end", (n) => n + 1);

    assert.equal(through.executeFrom("t/nothing", 1), 2);
    assert.equal(
      Axon.start<number>("e").subgraph(Axon.start<number>("nothing")).executeFrom("e/nothing", 1),
      1,
    );
  });
});

const letterOf = (): DeadLetter => ({
  ...{ id: "lost", kind: "step", axon: "shop", version: "1.0.0", node: "shop/pay", input: 1, error: "down" },
  ...{ timeline: undefined, failed_at: 1, attempts: 1, undone: [] },
});
