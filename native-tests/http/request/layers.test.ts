import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  authorize,
  Framework,
  fault,
  guard,
  header,
  layer,
  MemoryDeadLetters,
  MemoryRuns,
  pass,
} from "framework";
import { TestApp } from "framework/http";

import { closed, denied, hello, order, tick, Who } from "../../support/guarded-orders.js";
import { untyped, untypedApp } from "../../support/untyped.js";

describe("a layer", () => {
  const told: string[] = [];
  const telling = (name: string) =>
    layer({
      name,
      run(_, next) {
        told.push(`${name} in`);
        const outcome = next();
        told.push(`${name} out`);
        return outcome;
      },
    });

  test("may delete what one around it has written, for guards and steps inside", async () => {
    const write = layer({
      name: "write",
      writes: [Who],
      run(bus, next) {
        bus.set(Who, "anna");
        return next();
      },
    });
    const forget = layer({
      name: "forget",
      deletes: [Who],
      run(bus, next) {
        bus.delete(Who);
        return next();
      },
    });
    const who = Axon.start("who").thenFn("tell", (_, bus) => bus.find(Who) ?? "nobody", { mayRead: [Who] });
    const asking = Axon.start("asking").thenFn("ask", (_, bus) => bus.get(Who), { reads: [Who] });
    const front = () => Framework.http().layer(write);

    assert.throws(() => new TestApp(front().layer(forget).get("/", asking)), {
      code: "KEYS_UNPROVIDED",
      message: /deleted by 'forget' on the path write -> forget -> ask/,
    });
    assert.equal((await new TestApp(front().layer(forget).get("/", who)).get("/")).text, "nobody");
  });

  test("stands around guards, input and steps, the ingress's outermost, then its group's", async () => {
    const app = new TestApp(
      Framework.http()
        .layer(telling("ingress"))
        .group("/g", { layers: [telling("group")] }, (group) =>
          group.get("/", hello, {
            layers: [telling("route")],
            guards: [
              guard({
                name: "guard",
                run(input) {
                  told.push("guard");
                  return pass(input);
                },
              }),
            ],
          }),
        ),
    );

    assert.equal((await app.get("/g")).text, "hello");
    assert.deepEqual(told.splice(0), [
      "ingress in",
      "group in",
      "route in",
      "guard",
      "route out",
      "group out",
      "ingress out",
    ]);
  });

  test("sees the outcome, and may answer another", async () => {
    const outcomes: unknown[] = [];
    const masking = layer({
      name: "masking",
      async run(_, next) {
        const outcome = await next();
        outcomes.push(outcome);
        return outcome === "hello" ? "masked" : outcome;
      },
    });
    const boom = Axon.start("boom").thenFn("boom", () => fault(closed));
    const app = new TestApp(Framework.http().layer(masking).get("/", hello).get("/boom", boom));

    assert.equal((await app.get("/")).text, "masked");
    assert.equal((await app.get("/boom")).status, 403);
    assert.deepEqual(outcomes, ["hello", fault(closed)]);
  });

  test("answers without the rest where it does not call next, and reads what it declares", async () => {
    let ran = 0;
    const counting = Axon.start("c").thenFn("count", () => {
      ran += 1;
      return "ran";
    });
    const cached = layer({
      name: "cache",
      mayRead: [header("x-cached")],
      run: (bus, next) => bus.find(header("x-cached")) ?? next(),
    });
    const app = new TestApp(Framework.http().get("/", counting, { layers: [cached] }));

    assert.equal((await app.get("/", { headers: { "x-cached": "old" } })).text, "old");
    assert.equal(ran, 0);
    assert.equal((await app.get("/")).text, "ran");
  });

  test("writes for what it stands around", async () => {
    const naming = layer({
      name: "naming",
      writes: [Who],
      run(bus, next) {
        bus.set(Who, "layer");
        return next();
      },
    });
    const who = Axon.start("who").thenFn("who", (_, bus) => bus.get(Who), { reads: [Who] });
    const ingress = Framework.http().layer(naming).get("/", who);
    assert.equal((await new TestApp(ingress).get("/")).text, "layer");

    const forgetful = layer({ name: "forgetful", writes: [Who], run: (_, next) => next() });
    const reports: string[] = [];
    const app = new TestApp(
      Framework.http({ reporter: ({ error }) => reports.push(String(error)) })
        .layer(forgetful)
        .get("/", who),
    );
    assert.equal((await app.get("/")).status, 500);
    assert.match(reports.join(), /'forgetful'.*'Who'/);
  });

  test("that throws, or calls next twice, is a 500 that is reported", async () => {
    const reports: string[] = [];
    const app = new TestApp(
      Framework.http({ reporter: ({ step, error }) => reports.push(`${step}: ${error}`) })
        .get("/throws", hello, {
          layers: [
            layer({
              name: "throws",
              run() {
                throw new Error("layer");
              },
            }),
          ],
        })
        .get("/twice", hello, { layers: [layer({ name: "twice", run: (_, next) => [next(), next()] })] }),
    );

    assert.equal((await app.get("/throws")).status, 500);
    assert.equal((await app.get("/twice")).status, 500);
    assert.match(reports[0] ?? "", /throws: Error: layer/);
    assert.match(reports[1] ?? "", /twice: FrameworkError: .*called next\(\) twice/);
  });

  test("may be an instance of a class", async () => {
    class Greeting {
      readonly name = "greeting";
      readonly #greeting = "hello back";
      run(_: unknown, next: () => unknown): string {
        next();
        return this.#greeting;
      }
    }

    assert.equal(
      (await new TestApp(Framework.http().layer(new Greeting()).get("/", hello)).get("/")).text,
      "hello back",
    );
  });

  test("is a function too, and told where it is neither", async () => {
    const app = new TestApp(
      Framework.http()
        .layer((_, next) => next())
        .get("/", hello),
    );
    assert.equal((await app.get("/")).text, "hello");
    assert.throws(() => untyped(Framework.http()).layer({}), /layer\(\) was given no layer/);
  });

  test("hears of a client that goes away", async () => {
    const heard: unknown[] = [];
    const listening = layer({
      name: "listening",
      async run(_, next) {
        const outcome = await next();
        heard.push(outcome);
        return outcome;
      },
    });
    const slow = Axon.start("slow").thenFn("slow", () => new Promise(() => {}));
    const app = new TestApp(Framework.http().get("/", slow, { layers: [listening] }));
    const leaving = new AbortController();
    const answer = app.get("/", { signal: leaving.signal });
    leaving.abort(new Error("gone"));

    await assert.rejects(answer, /gone/);
    await tick();
    assert.equal((heard[0] as { error: { code: string } }).error.code, "RUN_ABORTED");
  });

  test("that answers first ends what it stands around: nothing more begins there", async () => {
    const began: string[] = [];
    let finish = (): void => {};
    const slow = Axon.start("slow")
      .thenFn("first", (_, bus) => {
        began.push("first");
        bus.signal.addEventListener("abort", () => began.push("aborted"));
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      })
      .thenFn("second", () => void began.push("second"));
    const racing = layer({ name: "racing", run: (_, next) => Promise.race([next(), fault(closed)]) });
    const app = new TestApp(Framework.http().get("/", slow, { layers: [racing] }));

    assert.equal((await app.get("/")).status, 403);
    finish();
    await tick();
    assert.deepEqual(began, ["first", "aborted"]);
  });

  for (const later of [false, true]) {
    test(`that has answered ${later ? "later" : "at once"} gets a fault from next(), and nothing begins`, async () => {
      let ran = 0;
      const counting = Axon.start("c").thenFn("count", () => {
        ran += 1;
      });
      let keep: () => unknown = () => assert.fail("it was not called");
      const keeping = layer({
        name: "keeping",
        run(_, next) {
          keep = next;
          return later ? tick().then(() => "early") : "early";
        },
      });
      const app = new TestApp(Framework.http().get("/", counting, { layers: [keeping] }));

      assert.equal((await app.get("/")).text, "early");
      const outcome = keep() as { readonly error: { readonly code: string; readonly reason: Error } };
      assert.equal(outcome.error.code, "RUN_ABORTED");
      assert.match(outcome.error.reason.message, /'keeping' answered before/);
      assert.equal(ran, 0);
    });
  }

  test("leaves the dead letter to the step that failed inside", async () => {
    const letters = new MemoryDeadLetters();
    const axon = Axon.start("a")
      .thenFn("boom", () => fault("boom"))
      .withDlqSink(letters);
    const open = layer({ name: "open", run: (_, next) => next() });
    const shutting = layer({ name: "shutting", run: () => fault(closed) });
    const forgiving = layer({ name: "forgiving", run: (_, next) => [next(), "well"].at(1) });
    const app = new TestApp(
      Framework.http()
        .get("/", axon, { layers: [open, open] })
        .get("/shut", axon, { layers: [open, shutting] })
        .get("/well", axon, { layers: [forgiving] }),
    );

    await app.get("/shut");
    await app.get("/well");
    assert.deepEqual(letters.list(), []);
    await app.get("/");
    assert.deepEqual(
      letters.list().map(({ node, error }) => [node, error]),
      [["a/boom", "boom"]],
    );
  });

  for (const taken of [false, true]) {
    test(`around a run that is kept: its letter is ${taken ? "not sent where another goes on with it" : "named by the run"}`, async () => {
      const letters = new MemoryDeadLetters();
      const runs = new MemoryRuns();
      const ids = new Set<string>();
      const append: MemoryRuns["append"] = (id, known, entries) => {
        ids.add(id);
        return (known === 0 || !taken) && runs.append(id, known, entries);
      };
      const axon = Axon.start("a")
        .thenFn("boom", () => fault("boom"))
        .withDlqSink(letters)
        .withPersistenceStore({ ...runs, append });
      const open = layer({ name: "open", run: (_, next) => next() });
      await new TestApp(Framework.http({ reporter: () => {} }).get("/", axon, { layers: [open] })).get("/");

      assert.equal(ids.size, 1);
      assert.deepEqual(
        letters.list().map(({ id }) => id),
        taken ? [] : [...ids],
      );
    });
  }
});

describe("authorize", () => {
  const mount = (decide: () => unknown) =>
    untypedApp(
      untyped(Framework.http({ reporter: () => {} })).get("/", hello, {
        layers: [authorize(decide as () => boolean)],
      }),
    ).get("/");

  test("lets pass on true, at once or later, and on nothing else", async () => {
    assert.equal((await mount(() => true)).status, 200);
    assert.equal((await mount(async () => true)).status, 200);
    assert.equal((await mount(() => false)).status, 403);
    assert.equal((await mount(async () => false)).status, 403);
    assert.equal((await mount(() => fault(denied))).status, 401);
    for (const undecided of [undefined, 1, "true", {}, null]) {
      assert.equal((await mount(() => undecided)).status, 500);
      assert.equal((await mount(async () => undecided)).status, 500);
    }
    assert.equal((await mount(() => Promise.reject(new Error("down")))).status, 500);
  });

  test("reads what it declares, before the body is read", async () => {
    const team = authorize((bus) => bus.find(header("x-team")) === "ops", { mayRead: [header("x-team")] });
    const app = new TestApp(Framework.http().post("/", order, { layers: [team] }));

    assert.equal((await app.post("/", { body: "{" })).status, 403);
    assert.equal(
      (await app.post("/", { json: { id: "7" }, headers: { "x-team": "ops" } })).text,
      "7 of nobody",
    );
  });
});
