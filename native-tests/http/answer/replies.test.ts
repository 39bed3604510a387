import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, html, isFault, ProblemDetail, type Report, respond, Type } from "framework";
import { TestApp } from "framework/http";

const reports: Report[] = [];

/** The answer of a route whose one step does `step`. */
const answerTo = (step: () => unknown, method: "GET" | "HEAD" = "GET") => {
  reports.length = 0;
  const ingress = Framework.http({ reporter: (report) => reports.push(report) });
  return new TestApp(ingress.get("/", Axon.start("a").thenFn("step", step))).send(method, "/");
};

describe("replies", () => {
  test("answer the status, headers and body they say", async () => {
    const { status, headers, text } = await answerTo(() =>
      respond({ status: 201, headers: { Location: "/orders/7" }, body: { id: 7 } }),
    );

    assert.deepEqual([status, text], [201, '{"id":7}']);
    assert.equal(headers["location"], "/orders/7");
    assert.equal(headers["content-type"], "application/json");
  });

  test("have the content type of their body, where they say no other", async () => {
    const typeOf = async (step: () => unknown) => (await answerTo(step)).headers["content-type"];

    assert.equal(await typeOf(() => respond({ body: "x" })), "text/plain; charset=utf-8");
    assert.equal(await typeOf(() => respond({ body: html("x") })), "text/html; charset=utf-8");
    assert.equal(await typeOf(() => respond({ body: new Uint8Array(1) })), "application/octet-stream");
    assert.equal(await typeOf(() => respond({ body: [1] })), "application/json");
    assert.equal(await typeOf(() => respond()), undefined);
    assert.equal(await typeOf(() => html("x")), "text/html; charset=utf-8");
    assert.equal(
      await typeOf(() => respond({ headers: { "Content-Type": "text/csv" }, body: "a,b" })),
      "text/csv",
    );
  });

  test("without a body have a length, but where the status forbids one", async () => {
    for (const [status, length] of [
      [200, "0"],
      [303, "0"],
      [205, "0"],
      [204, undefined],
      [304, undefined],
    ] as const) {
      const answer = await answerTo(() => respond({ status }));
      assert.deepEqual([answer.status, answer.headers["content-length"], answer.text], [status, length, ""]);
    }
  });

  test("to HEAD are those to GET without the body", async () => {
    const page = () => respond({ status: 203, headers: { "x-a": "1" }, body: html("<p>é</p>") });
    const head = await answerTo(page, "HEAD");
    const got = await answerTo(page);

    assert.deepEqual([head.status, head.headers, head.text], [got.status, got.headers, ""]);
    assert.equal(head.headers["content-length"], "9");
  });

  test("may carry a problem, with headers beside it", async () => {
    const busy = new ProblemDetail({ status: 503, code: "BUSY", title: "Come back later" });
    const { problem, headers } = await answerTo(() =>
      respond({ headers: { "retry-after": "5" }, body: busy }),
    );

    assert.deepEqual([problem.status, problem.code, headers["retry-after"]], [503, "BUSY", "5"]);
    assert.ok(problem.request_id);
  });

  test("are problems where the value is one, fault or not", async () => {
    const gone = new ProblemDetail({ status: 410, code: "GONE", title: "Gone" });

    assert.equal((await answerTo(() => gone)).problem.status, 410);
  });

  test("that cannot be written are 500, reported with the header's name, and never written", async () => {
    for (const [step, told] of [
      [() => respond({ headers: { "x-bad": "a\r\nset-cookie: evil=1" } }), /x-bad/],
      [() => respond({ headers: { "content-length": "5" } }), /content-length/],
      [() => respond({ status: 101 }), /101/],
    ] as const) {
      const { status, headers } = await answerTo(step);

      assert.equal(status, 500);
      assert.equal(headers["set-cookie"], undefined);
      assert.equal(reports.length, 1);
      assert.match(reports[0]?.message ?? "", told);
      assert.equal(reports[0]?.step, "step");
    }
  });

  test("that JSON would make nothing of are 500, with the way to answer them", async () => {
    function* generate() {
      yield "x";
    }
    for (const [answer, told] of [
      [generate(), /make the generator async/],
      [new Response("x"), /body: response\.body/],
    ] as const)
      for (const given of [answer, respond({ body: answer })]) {
        const { problem } = await answerTo(() => given);

        assert.equal(problem.status, 500);
        assert.match(problem.detail ?? "", /could not be written/);
        assert.match(String(reports[0]?.error), told);
      }
  });

  test("leave instances of classes what they were: data", async () => {
    class Order {
      readonly id = 7;
    }
    const bare = Object.assign(Object.create(null), { a: 1 });

    assert.equal((await answerTo(() => new Order())).text, '{"id":7}');
    assert.equal((await answerTo(() => bare)).text, '{"a":1}');
    assert.equal((await answerTo(() => JSON.parse('{"constructor":1}'))).text, '{"constructor":1}');
    assert.equal(
      (await answerTo(() => Buffer.from("x"))).headers["content-type"],
      "application/octet-stream",
    );
  });
});

describe("what a fallback answers", () => {
  const gone = new ProblemDetail({ status: 410, code: "GONE", title: "Gone" });
  const fallen = async (answer: unknown) => {
    const axon = Axon.start("f").thenFn("f", () => answer);
    return (await new TestApp(Framework.http().fallback(axon)).get("/x")).status;
  };

  test("is 404, unless it says another status", async () => {
    assert.equal(await fallen("nothing here"), 404);
    assert.equal(await fallen(undefined), 404);
    assert.equal(await fallen(html("<h1>")), 404);
    assert.equal(await fallen(respond({ status: 303, headers: { location: "/" } })), 303);
    assert.equal(await fallen(gone), 410);
    assert.equal(await fallen(respond({ body: gone })), 410);
  });
});

describe("an output schema and replies", () => {
  const Shown = Type.Object({ id: Type.Integer() });
  const shown = (answer: unknown) => {
    const axon = Axon.start("a").thenFn("step", () => answer as { id: number });
    return new TestApp(Framework.http({ reporter: () => {} }).get("/", axon.withOutputSchema(Shown))).get(
      "/",
    );
  };

  test("describes the body: what it does not name is not sent", async () => {
    const { status, text } = await shown(respond({ status: 201, body: { id: 1, secret: 2 } }));

    assert.deepEqual([status, text], [201, '{"id":1}']);
  });

  test("refuses a body that does not fit", async () => {
    assert.equal((await shown(respond({ body: { id: "x" } }))).status, 500);
    const axon = Axon.start("a")
      .thenFn("step", () => respond({ body: { id: 1 as number } }))
      .withOutputSchema(Type.Object({ id: Type.Integer({ minimum: 2 }) }));
    const outcome = axon.execute();
    assert.ok(isFault(outcome));
    assert.deepEqual(
      (outcome.error as { errors: readonly { pointer: string }[] }).errors.map(({ pointer }) => pointer),
      ["/id"],
    );
  });

  test("is not asked of pages, problems and replies without a body", async () => {
    const problem = new ProblemDetail({ status: 404, code: "NONE", title: "None" });

    assert.equal((await shown(html("<p>"))).text, "<p>");
    assert.equal((await shown(respond({ body: html("<p>") }))).text, "<p>");
    assert.equal((await shown(respond({ status: 303, headers: { location: "/" } }))).status, 303);
    assert.equal((await shown(problem)).status, 404);
    assert.equal((await shown(respond({ body: problem }))).status, 404);
    assert.equal((await shown(undefined)).status, 500);
    assert.equal((await shown(respond({ body: null }))).status, 500);
  });
});
