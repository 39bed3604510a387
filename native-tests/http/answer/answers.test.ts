import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, Type } from "framework";
import { TestApp } from "framework/http";

const hello = Axon.start("hello").thenFn("greet", () => "hello");

describe("answers", () => {
  const app = new TestApp(
    Framework.http()
      .get("/text", hello)
      .get(
        "/nothing",
        Axon.start("n").thenFn("n", () => undefined),
      )
      .get(
        "/bytes",
        Axon.start("b").thenFn("b", () => new Uint8Array([1, 2])),
      )
      .get(
        "/object",
        Axon.start("o").thenFn("o", () => ({ a: 1 })),
      )
      .get(
        "/null",
        Axon.start("l").thenFn("l", () => null),
      )
      .get(
        "/number",
        Axon.start("m").thenFn("m", async () => 5),
      )
      .get(
        "/schema",
        Axon.start("s")
          .thenFn("s", () => ({ a: "x", secret: 1 }))
          .withOutputSchema(Type.Object({ a: Type.String() })),
      ),
  );
  const got = async (target: string) => {
    const { status, headers, text: body } = await app.get(target);
    return [status, headers["content-type"], body];
  };

  test("follow from the value", async () => {
    assert.deepEqual(await got("/text"), [200, "text/plain; charset=utf-8", "hello"]);
    assert.deepEqual(await got("/nothing"), [204, undefined, ""]);
    assert.deepEqual(await got("/bytes"), [200, "application/octet-stream", "\u0001\u0002"]);
    assert.deepEqual(await got("/object"), [200, "application/json", '{"a":1}']);
    assert.deepEqual(await got("/null"), [200, "application/json", "null"]);
    assert.deepEqual(await got("/number"), [200, "application/json", "5"]);
  });

  test("hold what the output schema names, and nothing else", async () => {
    assert.deepEqual(await got("/schema"), [200, "application/json", '{"a":"x"}']);
  });

  test("to HEAD are those to GET without the body", async () => {
    const { status, headers, text: body } = await app.head("/object");

    assert.deepEqual([status, headers["content-length"], body], [200, "7", ""]);
  });

  test("to OPTIONS list the methods", async () => {
    const { status, headers } = await app.options("/object");

    assert.deepEqual([status, headers["allow"]], [204, "GET, HEAD, OPTIONS"]);
    assert.equal((await app.options("/nowhere")).status, 404);
  });

  test("to unknown paths and methods are problems", async () => {
    const missing = (await app.get("/nowhere?a=1")).problem;
    const wrong = await app.post("/object");

    assert.deepEqual(
      { ...missing, request_id: "" },
      {
        type: "about:blank",
        title: "There is nothing here",
        status: 404,
        instance: "/nowhere",
        code: "NOT_FOUND",
        request_id: "",
      },
    );
    assert.match(missing.request_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      [wrong.problem.code, wrong.headers["allow"]],
      ["METHOD_NOT_ALLOWED", "GET, HEAD, OPTIONS"],
    );
  });
});
