import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, cookie, Framework, header, text } from "framework";
import { TestApp } from "framework/http";
import { MemoryResponse } from "#http/testing/memory-response.js";

const echo = Axon.start<string>("echo").thenFn("echo", (body) => body);
const app = new TestApp(
  Framework.http()
    .post("/", echo, { input: text() })
    .get(
      "/",
      Axon.start("h").thenFn("h", (_, bus) => ({ host: bus.get(header("host")), c: bus.find(cookie("a")) }), {
        reads: [header("host")],
        mayRead: [cookie("a")],
      }),
    ),
);

describe("TestApp", () => {
  test("sends headers, cookies and bodies as a client would", async () => {
    assert.deepEqual((await app.get("/")).json, { host: "test.local" });
    assert.deepEqual((await app.get("/", { headers: { Host: "other" }, cookies: { a: "b c" } })).json, {
      host: "other",
      c: "b c",
    });
    assert.equal((await app.post("/", { json: { a: 1 } })).text, '{"a":1}');
  });

  test("shows what came instead of a problem", async () => {
    const answer = await app.post("/", { body: "plain" });

    assert.throws(() => answer.problem, /Not a problem but 200 text\/plain; charset=utf-8: plain/);
    assert.throws(() => answer.json);
  });
});

describe("a response in memory", () => {
  test("is as strict as the engine", () => {
    const response = new MemoryResponse(() => {});

    assert.throws(() => response.deliver(new Uint8Array()), /neither an answer nor an abort handler/);
    response.end("x");
    assert.throws(() => response.end("y"), /after its end/);
    assert.throws(() => response.cork(() => {}), /after its end/);
  });

  test("ends when the server closes it", () => {
    let ended = 0;
    const response = new MemoryResponse(() => {
      ended += 1;
    });
    response.close();
    response.close();

    assert.equal(ended, 1);
  });
});
