// `responseSchemas` of a route: what is sent under a status is what its schema says.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, guard, html, json, ProblemDetail, param, respond, Type } from "framework";
import { TestApp } from "framework/http";

const A = Type.Object({ a: Type.Integer() });
const B = Type.Object({ b: Type.Integer() });

const GONE = (left: unknown) =>
  new ProblemDetail({ status: 410, code: "GONE", title: "Gone", extensions: { left } });
const CLOSED = new ProblemDetail({ status: 410, code: "CLOSED", title: "Closed" });
const closed = guard({ name: "closed", responses: [CLOSED], run: () => fault(CLOSED) });

const outcomes: Readonly<Record<string, () => unknown>> = {
  value: () => ({ a: 1, extra: true }),
  reply: () => respond({ status: 201, body: { b: 1, extra: true } }),
  "other-reply": () => respond({ status: 202, body: { c: 1 } }),
  "bad-value": () => ({ a: "1" }),
  "bad-reply": () => respond({ status: 201, body: { a: 1 } }),
  page: () => respond({ status: 201, body: html("<p>") }),
  problem: () => fault(GONE(3)),
  "bad-problem": () => fault(GONE("none")),
  mapped: () => fault("mapped"),
  "bad-mapped": () => fault("bad-mapped"),
};

function served() {
  const reports: string[] = [];
  const steps = Axon.start<void>("steps").thenFn(
    "answer",
    {
      uses: { place: param("place") },
      responses: [{ status: 200 }, { status: 201 }, { status: 202 }, { status: 410, code: "GONE" }],
    },
    (_, bus) => (outcomes[bus.place] as () => any)(),
  );
  const options: any = {
    responseSchemas: { 200: A, 201: B, 409: B, 410: Type.Object({ left: Type.Integer() }) },
    onFault: (error: unknown) =>
      typeof error === "string"
        ? respond({ status: 409, body: error === "mapped" ? { b: 2, extra: true } : { b: "2" } })
        : undefined,
  };
  const app = new TestApp(
    Framework.http({ reporter: ({ code, message }) => reports.push(`${code} ${message}`) })
      .get("/guarded/:place", steps, { ...options, guards: [closed] })
      .post(
        "/input/:place",
        Axon.start("input", A).thenFn("echo", (value) => value),
        {
          input: json(A),
          responseSchemas: { 422: Type.Object({ own: Type.Boolean() }) },
        },
      )
      .get("/:place", steps, options),
  );
  return { app, reports };
}

describe("a body under a status with a schema", () => {
  test("is sent as the schema says, and others as they are", async () => {
    const { app, reports } = served();
    const sent = async (place: string) => {
      const { status, text } = await app.get(`/${place}`);
      return `${status} ${text}`;
    };

    assert.equal(await sent("value"), '200 {"a":1}');
    assert.equal(await sent("reply"), '201 {"b":1}');
    assert.equal(await sent("other-reply"), '202 {"c":1}');
    assert.equal(await sent("page"), "201 <p>");
    assert.equal(await sent("mapped"), '409 {"b":2}');
    assert.equal((await app.get("/problem")).problem["left"], 3);
    assert.deepEqual(reports, []);
  });

  test("is 500 where it does not fit, and the report names route and place", async () => {
    for (const [place, pointer] of [
      ["bad-value", "/a"],
      ["bad-reply", "/b"],
      ["bad-problem", "/left"],
      ["bad-mapped", "/b"],
    ] as const) {
      const { app, reports } = served();

      assert.equal((await app.get(`/${place}`)).problem.code, "INTERNAL_ERROR");
      assert.equal(reports.length, 1);
      assert.match(
        reports[0] ?? "",
        /^OUTPUT_INVALID GET \/:place, step 'answer' of Axon 'steps': The output/,
      );
      assert.ok(reports[0]?.includes(pointer), reports[0]);
    }
  });

  test("is no matter of refusals: those of guards and of the input keep their own", async () => {
    const { app } = served();

    assert.equal((await app.get("/guarded/value")).problem.code, "CLOSED");
    assert.equal((await app.post("/input/x", { json: { a: "1" } })).problem.code, "INPUT_INVALID");
  });

  test("has a schema that compiles, or the ingress does not start", async () => {
    const schema: any = Type.Object({ a: Type.String({ format: "colour" }) });
    const ingress = Framework.http().get(
      "/",
      Axon.start("x").thenFn("x", () => ""),
      {
        responseSchemas: { 200: schema },
      },
    );

    const start = async () => {
      await using app = new TestApp(ingress);
      await app.start();
    };
    await assert.rejects(start, { code: "SCHEMA_UNSUPPORTED", message: /GET \/, .*responseSchemas 200/ });
  });
});
