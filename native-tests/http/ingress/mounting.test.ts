import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, branch, Framework, jump } from "framework";
import { TestApp } from "framework/http";

import { untyped } from "../../support/untyped.js";

const hello = Axon.start("hello").thenFn("greet", () => "hello");

describe("mounting", () => {
  test("refuses at once what is wrong of a route itself", () => {
    const open = Axon.start<void>("open").thenFn("go", () => branch("s", 1), { branches: ["s"] });
    const lost = Axon.start<void>("lost").thenFn("go", () => jump("there", 1), { jumps: ["there"] });
    const at =
      (path: string, axon: unknown = hello, options?: unknown) =>
      () =>
        untyped(Framework.http()).get(path, axon, options);

    assert.throws(at("nowhere"), { code: "ROUTE_INVALID" });
    assert.throws(at("/x", open), { code: "AXON_BRANCH_OPEN" });
    assert.throws(at("/x", lost), { code: "AXON_JUMP_UNRESOLVED" });
    assert.throws(at("/x", hello, { bodyLimit: -1 }), { code: "CONFIG_INVALID" });
    assert.throws(() => untyped(Framework.http()).get("/x", async () => "hello"), {
      code: "ROUTE_INVALID",
      message: /GET \/x .*: mount one, as in Axon\.start/,
    });
    assert.throws(() => untyped(Framework.http()).route("BREW /x", hello), {
      code: "ROUTE_INVALID",
      message: /Method 'BREW'/,
    });
    assert.throws(() => Framework.http().get("/x", hello).route("GET /x", hello), { code: "ROUTE_CONFLICT" });
    assert.throws(() => Framework.http({ bodyTimeoutMs: 10_001 }), {
      code: "CONFIG_INVALID",
      message: /bodyTimeoutMs is 10001: .* from 1 to 10000/,
    });
    assert.throws(() => Framework.http().bodyLimit(1.5), { code: "CONFIG_INVALID" });
    assert.throws(() => Framework.http().gracefulShutdown(-1), { code: "CONFIG_INVALID" });
    assert.throws(() => Framework.http().bind("here"), { code: "CONFIG_INVALID" });
  });

  test("takes every method, and `route` with the method in front", async () => {
    const app = new TestApp(
      Framework.http()
        .get("/x", hello)
        .post("/x", hello)
        .put("/x", hello)
        .patch("/x", hello)
        .delete("/x", hello)
        .options("/x", hello)
        .head("/y", hello)
        .route("/r", hello)
        .route("POST /r", hello),
    );

    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      assert.equal((await app.send(method, "/x")).text, "hello", method);
    assert.deepEqual(
      [(await app.patch("/x")).text, (await app.delete("/x")).text, (await app.put("/x")).text],
      ["hello", "hello", "hello"],
    );
    assert.equal((await app.head("/y")).headers["content-length"], "5");
    assert.deepEqual([(await app.get("/r")).text, (await app.post("/r")).text], ["hello", "hello"]);
  });

  test("may ignore a final slash", async () => {
    const app = new TestApp(Framework.http({ trailingSlash: "ignore" }).get("/x", hello));

    assert.equal((await app.get("/x/")).text, "hello");
  });
});
