import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, RequestId } from "framework";
import { TestApp } from "framework/http";

const hello = Axon.start("hello").thenFn("greet", () => "hello");

describe("requestIdLayer", () => {
  const app = new TestApp(
    Framework.http()
      .requestIdLayer()
      .get("/", hello)
      .get(
        "/id",
        Axon.start("id").thenFn("id", (_, bus) => bus.get(RequestId), { reads: [RequestId] }),
      )
      .get(
        "/boom",
        Axon.start("b").thenFn("b", () => {
          throw new Error("boom");
        }),
      ),
  );

  test("puts the client's id, or a new one, on each answer", async () => {
    for (const target of ["/", "/nowhere"]) {
      assert.equal(
        (await app.get(target, { headers: { "x-request-id": "abc-1" } })).headers["x-request-id"],
        "abc-1",
      );
      assert.match((await app.get(target)).headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
      assert.notEqual(
        (await app.get(target, { headers: { "x-request-id": "a b" } })).headers["x-request-id"],
        "a b",
      );
    }
    assert.match((await app.send("BREW", "/")).headers["x-request-id"] ?? "", /^[0-9a-f-]{36}$/);
  });

  test("shows the same id in steps, in problems and in the header", async () => {
    const fromStep = await app.get("/id");
    const fromProblem = await app.get("/boom");

    assert.equal(fromStep.text, fromStep.headers["x-request-id"]);
    assert.equal(fromProblem.problem.request_id, fromProblem.headers["x-request-id"]);
  });

  test("is what puts them there", async () => {
    assert.equal(
      (await new TestApp(Framework.http().get("/", hello)).get("/")).headers["x-request-id"],
      undefined,
    );
  });
});
