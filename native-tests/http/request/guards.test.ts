import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  DlqPolicy,
  Framework,
  fault,
  guard,
  jump,
  MemoryDeadLetters,
  type Pass,
  ProblemDetail,
  pass,
  RetryPolicy,
  Type,
} from "framework";
import { TestApp } from "framework/http";

import { closed, hello, named, Order, order, shut, Who } from "../../support/guarded-orders.js";
import { untyped, untypedApp } from "../../support/untyped.js";

describe("a guard", () => {
  for (const later of [false, true]) {
    const when = later ? "that takes time" : "that answers at once";
    const app = new TestApp(Framework.http().post("/", order, { guards: [named(later)] }));

    test(`${when} decides before the body is read`, async () => {
      const refused = await app.post("/", { body: "{", headers: { "content-type": "text/plain" } });
      assert.deepEqual([refused.status, refused.problem?.code], [401, "DENIED"]);
      const malformed = await app.post("/", {
        body: "{",
        headers: { "content-type": "application/json", "x-who": "ann" },
      });
      assert.deepEqual([malformed.status, malformed.problem?.code], [400, "JSON_INVALID"]);
    });

    test(`${when} gives what it writes to the steps`, async () => {
      const answer = await app.post("/", { json: { id: "7" }, headers: { "x-who": "ann" } });
      assert.deepEqual([answer.status, answer.text], [200, "7 of ann"]);
      const invalid = await app.post("/", { json: { id: 7 }, headers: { "x-who": "ann" } });
      assert.equal(invalid.status, 422);
    });
  }

  test("stands before every route, whenever it is mounted, unless a route leaves it out", async () => {
    const ingress = Framework.http()
      .get("/before", hello)
      .guard(shut("office-hours"))
      .get("/after", hello)
      .get("/always", hello, { without: ["office-hours"] });
    const app = new TestApp(ingress);

    assert.equal((await app.get("/before")).status, 403);
    assert.equal((await app.get("/after")).status, 403);
    assert.equal((await app.get("/always")).text, "hello");
  });

  test("of the ingress decides before a path or a method is said to be unknown", async () => {
    const app = new TestApp(Framework.http().guard(named()).get("/a", hello));
    const who = { headers: { "x-who": "ann" } };

    assert.equal((await app.get("/b")).status, 401);
    assert.equal((await app.post("/a")).status, 401);
    assert.equal((await app.options("/a")).status, 401);
    assert.equal((await app.get("/b", who)).status, 404);
    const wrong = await app.post("/a", who);
    assert.deepEqual([wrong.status, wrong.headers["allow"]], [405, "GET, HEAD, OPTIONS"]);
    assert.equal((await app.options("/a", who)).status, 204);
  });

  test("that leads an Axon decides before the body is read, and runs in process too", async () => {
    const guarded = Axon.start("guarded", Order)
      .then(named())
      .thenFn("show", ({ id }, bus) => `${id} of ${bus.get(Who)}`, { reads: [Who] });
    const app = new TestApp(Framework.http().post("/", guarded));

    assert.equal((await app.post("/", { body: "{" })).status, 401);
    assert.equal((await app.post("/", { json: { id: "7" }, headers: { "x-who": "ann" } })).text, "7 of ann");
  });

  test("is run with the input by a jump to a label before it", () => {
    const inputs: unknown[] = [];
    const seen = guard({
      name: "seen",
      run(input) {
        inputs.push(input);
        return pass(input);
      },
    });
    // What is jumped with is no input of the Axon, and not checked as one.
    const axon = Axon.start("a", Type.Number({ maximum: 3 }))
      .label("again")
      .then(seen)
      .thenFn("double", (n) => (n > 5 ? n : jump("again", n * 2)), { jumps: ["again"] });
    assert.equal(axon.execute(2), 8);
    assert.deepEqual(inputs, [2, 4, 8]);
  });

  test("reads what an earlier one has written, and is refused where nobody has", () => {
    const late = guard({ name: "late", reads: [Who], run: pass });
    const mount = (...guards: unknown[]) =>
      untypedApp(untyped(Framework.http()).get("/", hello, { guards })).get("/");

    assert.throws(() => mount(late, named()), /'Who' for step 'late'/);
    assert.doesNotThrow(() => mount(named(), late));
  });

  test("sends no dead letter of what it refuses", async () => {
    const letters = new MemoryDeadLetters();
    const axon = Axon.start("a")
      .then(shut("own"))
      .thenFn("boom", () => fault("boom"))
      .withDlqSink(letters);
    assert.equal(
      (await new TestApp(Framework.http().get("/", axon, { guards: [named()] })).get("/")).status,
      401,
    );
    const who = { headers: { "x-who": "ann" } };
    assert.equal(
      (await new TestApp(Framework.http().get("/", axon, { guards: [named()] })).get("/", who)).status,
      403,
    );
    assert.deepEqual(letters.list(), []);
  });

  test("lets nothing pass by mistake", async () => {
    const problem = new ProblemDetail({ status: 403, code: "CLOSED", title: "Closed" });
    class Careless {
      readonly kind = "guard";
      readonly name = "careless";
      readonly run: () => Pass;
      constructor(run: () => Pass) {
        this.run = run;
      }
    }
    // Undefined is what a forgotten `return` answers, and the input before a body is read.
    for (const answer of [undefined, false, true, {}, null, problem, pass("another")]) {
      for (const run of [() => answer, async () => answer] as (() => Pass)[]) {
        for (const careless of [guard({ name: "careless", run }), new Careless(run)]) {
          const told: unknown[] = [];
          const reporter = ({ error }: { error?: unknown }) => told.push((error as Error).message);
          const inFront = Framework.http({ reporter }).get("/", hello, { guards: [careless] });
          const leading = Framework.http({ reporter }).get("/", Axon.start("x").then(careless));
          assert.equal((await new TestApp(inFront).get("/")).status, 500);
          assert.equal((await new TestApp(leading).get("/")).status, 500);
          assert.match(String(told[0]), /'careless' answered neither pass\(input\) nor fault/);
        }
      }
    }
  });

  test("lets a body through to where it is read, and nothing of its own in the place of none", async () => {
    class Passing {
      readonly kind = "guard";
      readonly name = "passing";
      readonly run = (input: unknown) => pass(input);
    }
    const told: unknown[] = [];
    const later = guard({ name: "later", run: async (input) => pass(input) });
    const tell = Axon.start("tell").thenFn("tell", (input) => void told.push(input));
    const ingress = Framework.http().get("/", tell, { guards: [new Passing(), later] });

    await new TestApp(ingress).get("/");
    assert.deepEqual(told, [undefined]);
  });

  test("refuses once, whatever the policy of dead letters says of retries", async () => {
    let asked = 0;
    const refusing = guard({
      name: "refusing",
      run() {
        asked += 1;
        return fault(closed);
      },
    });
    const axon = Axon.start("a")
      .then(refusing)
      .withDlqSink(new MemoryDeadLetters())
      .withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(2, 0)));

    assert.equal((await new TestApp(Framework.http().get("/", axon)).get("/")).status, 403);
    assert.equal(asked, 1);
  });

  test("can take the place of one of its name that stands further out", async () => {
    const told: string[] = [];
    const door = (which: string) =>
      guard({
        name: "door",
        run: (input) => {
          told.push(which);
          return pass(input);
        },
      });
    const without = ["door"];
    const app = new TestApp(
      Framework.http()
        .guard(door("ingress"))
        .get("/route", hello, { without, guards: [door("route")] })
        .group("/group", { without, guards: [door("group")] }, (group) =>
          group
            .get("/in", hello)
            .get("/none", hello, { without })
            .get("/route", hello, { without, guards: [door("inner")] }),
        )
        .get("/both", hello, { guards: [door("added")] }),
    );

    for (const path of ["/route", "/group/in", "/group/none", "/group/route", "/both"]) {
      told.push(path);
      assert.equal((await app.get(path)).status, 200);
    }
    assert.deepEqual(
      told.join(" "),
      "/route route /group/in group /group/none /group/route inner /both ingress added",
    );
    assert.throws(() => new TestApp(Framework.http().get("/x", hello, { without, guards: [door("own")] })), {
      code: "ROUTE_INVALID",
      message: /without the guard 'door'.*none/,
    });
  });

  test("that is none is told at once", () => {
    for (const given of [undefined, {}, { name: "x", run: pass }, { name: "", kind: "guard", run: pass }]) {
      assert.throws(() => untyped(Framework.http()).guard(given), /guard\(\) was given no guard/);
      assert.throws(
        () => untyped(Framework.http()).get("/x", hello, { guards: [given] }),
        /GET \/x was given no guard/,
      );
    }
    assert.throws(
      () => new TestApp(Framework.http().get("/x", hello, { without: ["offise"] })),
      /without the guard 'offise'.*none/,
    );
  });
});
