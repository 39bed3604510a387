import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  authorize,
  Framework,
  fault,
  guard,
  layer,
  ProblemDetail,
  pass,
  type Report,
  respond,
  Type,
} from "framework";
import { TestApp } from "framework/http";

const reports: Report[] = [];
const taken = new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" });
const reserve = Axon.start("reserve").thenFn("reserve", () => fault({ kind: "full", seats: 3 }));

const reserveLater = Axon.start("reserve").thenFn("reserve", async () => fault("full"));
const open = guard({ name: "open", run: (input) => pass(input) });
const through = layer({ name: "through", run: (_, next) => next() });
const waiting = layer({ name: "waiting", run: async (_, next) => next() });
const replacing = layer({
  name: "replacing",
  run: (_, next) => {
    next();
    return fault(taken);
  },
});

/** The answer of a route whose one step answers the fault, under that `onFault`. */
const answerTo = (onFault: (error: any) => any, axon = reserve, production = false) => {
  reports.length = 0;
  const ingress = Framework.http({ reporter: (report) => reports.push(report) }).get("/", axon, {
    onFault,
    responses: [{ status: 409, code: "FULL" }],
  });
  ingress.plan = { ...ingress.plan, production };
  return new TestApp(ingress).get("/");
};

describe("onFault", () => {
  test("answers a fault by a problem, and nothing is reported", async () => {
    const { problem } = await answerTo(
      ({ seats }) => new ProblemDetail({ status: 409, code: "FULL", title: "Full", extensions: { seats } }),
    );

    assert.deepEqual([problem.status, problem.code, problem["seats"]], [409, "FULL", 3]);
    assert.deepEqual(reports, []);
  });

  test("answers a fault by a reply, whole: an output schema is not about it", async () => {
    const axon = Axon.start("a")
      .thenFn("step", () => (Math.random() < 2 ? fault("no") : { id: 1 }))
      .withOutputSchema(Type.Object({ id: Type.Integer() }));
    const { status, headers, json } = await answerTo(
      () => respond({ status: 409, headers: { "retry-after": "5" }, body: { full: true } }),
      axon as never,
    );

    assert.deepEqual([status, headers["retry-after"], json], [409, "5", { full: true }]);
  });

  test("may send the client elsewhere", async () => {
    const { status, headers } = await answerTo(() =>
      respond({ status: 303, headers: { location: "/waiting-list" } }),
    );

    assert.deepEqual([status, headers["location"]], [303, "/waiting-list"]);
  });

  test("is asked before the fault itself, and leaves to it what it does not map", async () => {
    const own = Axon.start("own").thenFn("own", () => fault(taken)) as never;

    assert.equal((await answerTo(() => respond({ status: 423, body: "locked" }), own)).status, 423);
    assert.equal((await answerTo(() => undefined, own)).problem.code, "TAKEN");
  });

  test("is not asked of what went wrong in the run", async () => {
    let asked = 0;
    const throws = Axon.start("t").thenFn("t", () => {
      throw new Error("boom");
    });
    const { problem } = await answerTo(() => {
      asked += 1;
    }, throws as never);

    assert.deepEqual([problem.status, asked], [500, 0]);
  });

  test("is not asked of the faults of guards and layers in front", async () => {
    const pay = fault(new ProblemDetail({ status: 402, code: "PAY", title: "Pay first" }));
    const mapped = { onFault: () => respond({ status: 418 }) };
    class Payment {
      readonly name = "payment";
      readonly kind = "guard";
      readonly #fault = pay;
      run() {
        return this.#fault;
      }
    }
    const app = new TestApp(
      Framework.http({ reporter: () => {} })
        .get("/guard", reserve, { ...mapped, guards: [new Payment()] })
        .get("/guard-later", reserve, { ...mapped, guards: [guard({ name: "g", run: async () => pay })] })
        .get("/layer", reserve, { ...mapped, layers: [authorize(() => pay)] })
        .get("/layer-later", reserve, { ...mapped, layers: [authorize(async () => pay)] })
        .get("/replaced", reserve, { ...mapped, layers: [replacing] })
        .get("/axon", reserve, { ...mapped, guards: [open], layers: [through, waiting] })
        .get("/axon-later", reserveLater, { ...mapped, guards: [open], layers: [through, waiting] })
        .get("/leading", Axon.start("l").then(guard({ name: "own", run: () => pay })), mapped),
    );
    const statuses = async (...targets: string[]) =>
      Promise.all(targets.map(async (target) => (await app.get(target)).status));

    assert.deepEqual(
      await statuses("/guard", "/guard-later", "/layer", "/layer-later"),
      [402, 402, 402, 402],
    );
    assert.deepEqual(await statuses("/replaced"), [409]);
    assert.deepEqual(await statuses("/axon", "/axon-later", "/leading"), [418, 418, 418]);
  });

  test("that fails is 500 and reported, masked in production", async () => {
    const failing: readonly (readonly [() => unknown, RegExp])[] = [
      [
        () => {
          throw new Error("secret");
        },
        /onFault threw: secret/,
      ],
      [async () => taken, /neither a ProblemDetail nor respond/],
      [() => Promise.reject(new Error("secret")), /neither a ProblemDetail nor respond/],
      [() => "text", /neither a ProblemDetail nor respond/],
      [() => respond({ body: "fine" }), /answered 200: a fault never answers success/],
      [() => respond({ status: 400, body: { secret: 1n } }), /could not be written/],
    ];
    for (const [onFault, told] of failing) {
      const { problem } = await answerTo(onFault);
      assert.equal(problem.status, 500);
      assert.equal(reports.length, 1, String(told));
      assert.match(reports[0]?.message ?? "", told);

      const masked = await answerTo(onFault, reserve, true);
      assert.equal(masked.status, 500);
      assert.doesNotMatch(masked.text, /secret|onFault/);
    }
  });

  test("is asked of a fault that comes later too", async () => {
    const later = Axon.start("l").thenFn("l", async () => fault("later")) as never;

    assert.equal((await answerTo(() => respond({ status: 418 }), later)).status, 418);
  });
});
