// An application and a plug-in may each bring a copy of the package. Everything here
// is made by one and used by the other.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { EmittedEvent, RuntimeFault } from "framework";

import { loadTwoCopies } from "../support/two-copies.js";

const [plugin, app] = await loadTwoCopies();
const { framework: theirs } = plugin;
const { framework: ours } = app;
const { Type } = ours;

const hello = theirs.Axon.start("hello").thenFn("greet", () => "hello");

/** The answer of our ingress to a step of theirs. */
const answerTo = (step: (input: void) => unknown) =>
  new app.http.TestApp(
    ours.Framework.http({ reporter: () => {} }).get("/", theirs.Axon.start("theirs").thenFn("step", step)),
  ).get("/");

describe("two copies of the package in one process", () => {
  test("are two", () => {
    assert.notEqual(theirs.Axon, ours.Axon);
    assert.notEqual(theirs.fault, ours.fault);
  });

  test("agree on what an outcome is", () => {
    const { branch, emit, eventKind, fault, jump } = theirs;
    const outcomes = [fault("no"), branch("vip", 1), jump("again", 1), emit(eventKind<number>()("e"), 1, 2)];
    const { isBranch, isEmit, isFault, isJump } = app.core;

    assert.deepEqual(
      [isFault, isBranch, isJump, isEmit].map((is) => outcomes.findIndex(is)),
      [0, 1, 2, 3],
    );
    assert.deepEqual(outcomes.map(ours.isNext), [false, false, false, false]);
  });

  test("run each other's faults, branches, jumps and events", () => {
    const Doubled = theirs.eventKind<number>()("doubled");
    const events: EmittedEvent[] = [];
    const axon = ours.Axon.start<number>("mixed")
      .label("again")
      .thenFn("double", (n) => theirs.emit(Doubled, n, n * 2), { emits: [Doubled] })
      .thenFn("until ten", (n) => (n < 10 ? theirs.jump("again", n) : n), { jumps: ["again"] })
      .thenFn("large", (n) => (n > 100 ? theirs.branch("large", n) : n), { branches: ["large"] })
      .branch(
        "large",
        theirs.Axon.start<number>("refuse").thenFn("no", () => theirs.fault("too large")),
      )
      .withEventSink({ send: (event) => events.push(event) });

    assert.equal(axon.execute(3), 12);
    assert.deepEqual(
      events.map(({ payload }) => payload),
      [3, 6],
    );
    const refused = axon.execute(60);
    assert.ok(ours.isFault(refused) && refused.error === "too large");
  });

  test("answer each other's replies and pages", async () => {
    const created = await answerTo(() => theirs.respond({ status: 201, body: theirs.html("<p>") }));

    assert.deepEqual([created.status, created.text], [201, "<p>"]);
    assert.equal(
      (await answerTo(() => theirs.html("<p>"))).headers["content-type"],
      "text/html; charset=utf-8",
    );
  });

  test("read each other's sealed cookies", async () => {
    const keys = new theirs.CookieKeys([{ id: "a", secret: new theirs.Secret("s".repeat(32)) }]);
    const sid = theirs.signedCookie("sid", keys);
    const axon = theirs.Axon.start("who").thenFn("who", (_, bus) => bus.find(sid) ?? "nobody", {
      mayRead: [sid],
    });
    const cookie = sid.set("ada").line.split(";")[0] ?? "";

    const { text } = await new app.http.TestApp(ours.Framework.http().get("/", axon)).get("/", {
      headers: { cookie },
    });
    assert.equal(text, "ada");
  });

  test("have the same keys for what an ingress provides", () => {
    assert.equal(theirs.header("X-Tenant"), ours.header("x-tenant"));
    assert.equal(theirs.cookie("sid"), ours.cookie("sid"));
    assert.equal(theirs.param("id"), ours.param("id"));
    for (const name of ["RequestId", "RequestMethod", "RequestPath", "PathParams", "QueryParams"] as const)
      assert.equal(theirs[name], ours[name], name);
  });

  test("never give one slot to two keys", () => {
    const keys = [theirs, ours, theirs, ours].map(({ busKey }, i) => busKey<string>()(`Key ${i}`));
    const axon = ours.Axon.start("keys")
      .thenFn(
        "write",
        (_, bus) => {
          for (const key of keys) bus.set(key, key.name);
        },
        { writes: keys },
      )
      .thenFn("read", (_, bus) => keys.map((key) => bus.get(key)), { reads: keys });

    assert.equal(new Set(keys.map((key) => key.slot)).size, 4);
    assert.deepEqual(axon.execute(), ["Key 0", "Key 1", "Key 2", "Key 3"]);
  });

  test("mount each other's Transitions, Axons, extractors and tables", async () => {
    const { macros } = plugin;
    const tenant = theirs.header("x-tenant");
    const name = macros.transition({ name: "name", reads: [tenant], run: (_: void, bus) => bus.get(tenant) });
    const double = theirs.Axon.start<{ n: number }>("double").thenFn("twice", ({ n }) => n * 2);
    const ingress = ours.Framework.http()
      .get("/tenant", ours.Axon.start("tenant").then(name))
      .mount(
        macros.routes({
          "GET /hello": hello,
          "GET /double": [double, { input: theirs.query(Type.Object({ n: Type.Integer() })) }],
        }),
      );
    const server = new app.http.TestApp(ingress);

    assert.equal((await server.get("/tenant", { headers: { "x-tenant": "acme" } })).text, "acme");
    assert.equal((await server.get("/tenant")).problem.code, "HEADER_MISSING");
    assert.equal((await server.get("/hello")).text, "hello");
    assert.equal((await server.get("/double?n=4")).json, 8);
  });

  test("tell a run's own faults from an application's", () => {
    const outcome = theirs.Axon.start("boom")
      .thenFn("throw", () => {
        throw new Error("boom");
      })
      .execute();

    assert.ok(ours.isFault(outcome) && ours.isRuntimeFault(outcome.error));
    assert.equal((outcome.error as RuntimeFault).code, "TRANSITION_PANIC");
    assert.ok(!ours.isRuntimeFault({ code: "TRANSITION_PANIC" }));
  });

  test("answer each other's problems with their status", async () => {
    const taken = () => new theirs.ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" });
    const itself = await answerTo(() => theirs.fault(taken()));
    const converted = await answerTo(() => theirs.fault({ toProblemDetail: taken }));

    assert.deepEqual([itself.status, itself.problem.code], [409, "TAKEN"]);
    assert.deepEqual([converted.status, converted.problem.code], [409, "TAKEN"]);
    assert.ok(taken() instanceof ours.ProblemDetail);
  });

  test("know each other's errors", async () => {
    const { BusValueMissingError } = plugin.core;
    const missing = await answerTo(() => {
      throw new BusValueMissingError("header:x-tenant");
    });

    assert.deepEqual([missing.status, missing.problem.code], [400, "HEADER_MISSING"]);
    assert.throws(
      () => theirs.Axon.start(""),
      (error) => error instanceof ours.FrameworkError && !(error instanceof app.core.BusValueMissingError),
    );
    assert.ok(new BusValueMissingError("x") instanceof ours.FrameworkError);
  });

  test("check schemas each by its own rules", async () => {
    // The first schema with a constraint in each copy, which has a TypeBox of its own.
    const short = theirs.Axon.start("short", Type.String({ maxLength: 2 }));
    const large = ours.Axon.start("large", Type.String({ minLength: 4 }));
    const keywordOf = (outcome: unknown) => {
      assert.ok(ours.isFault(outcome));
      const error = outcome.error as RuntimeFault;
      return error.code === "INPUT_INVALID" ? error.errors.map(({ keyword }) => keyword) : error;
    };

    assert.equal(short.execute("ab"), "ab");
    assert.equal(large.execute("abcd"), "abcd");
    assert.deepEqual(keywordOf(short.execute("abcd")), ["maxLength"]);
    assert.deepEqual(keywordOf(large.execute("ab")), ["minLength"]);
    assert.equal(theirs.Axon.start("again", Type.String({ maxLength: 2 })).execute("ab"), "ab");
  });
});
