import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { Axon, Framework, header, transition } from "framework";
import { TestApp } from "framework/http";
import { CorsGuard } from "framework/std";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { WalkedRequest } from "#http/native/walked-request.js";

const name = () => fc.constantFrom("x-a", "x-b", "host", "cookie", "content-length", "authorization");
const headers = () => fc.array(fc.tuple(name(), fc.constantFrom("", "1", "two", "b=c")), { maxLength: 9 });

function walkOf(request: { forEach(each: (name: string, value: string) => void): void }) {
  const all: [string, string][] = [];
  request.forEach((name, value) => {
    all.push([name, value]);
  });
  return all;
}

describe("a request that was walked over", () => {
  test("answers what the engine's does, request after request", () => {
    const walked = new WalkedRequest();
    fc.assert(
      fc.property(headers(), name(), (sent, asked) => {
        const native = new MemoryRequest("/a/b?c=d", sent);
        walked.walk(native);

        assert.equal(walked.getHeader(asked), native.getHeader(asked));
        assert.equal(walked.getHeader(new TextEncoder().encode(asked)), native.getHeader(asked));
        assert.deepEqual(walkOf(walked), walkOf(native));
        assert.deepEqual([walked.getUrl(), walked.getQuery()], ["/a/b", "c=d"]);
      }),
    );
  });

  test("is empty when it is over", () => {
    const walked = new WalkedRequest();
    walked.walk(new MemoryRequest("/", [["authorization", "Bearer secret"]]));
    walked.forget();

    assert.equal(walked.getHeader("authorization"), "");
    assert.deepEqual([walkOf(walked), walked.getUrl(), walked.getQuery()], [[], "", undefined]);
  });

  test("keeps its headers while another is served within its handler", async () => {
    const XA = header("x-a");
    const told = transition({
      name: "tell",
      mayRead: [XA],
      run: (_: unknown, bus) => bus.find(XA) ?? "none",
    });
    const inner: Promise<unknown>[] = [];
    const asks = (origin: string): boolean => {
      if (origin === "https://outer.example")
        inner.push(app.get("/", { headers: { "x-a": "inner", origin: "https://inner.example" } }));
      return true;
    };
    const ingress = Framework.http()
      .guard(new CorsGuard({ allowedOrigins: [asks] }))
      .get("/", Axon.start("told").then(told));
    const app: TestApp<never> = new TestApp(ingress);

    const outer = await app.get("/", { headers: { "x-a": "outer", origin: "https://outer.example" } });

    assert.equal(outer.text, "outer");
    const texts = (await Promise.all(inner)).map((response) => (response as typeof outer).text);
    assert.ok(texts.length > 0 && texts.every((text) => text === "inner"), texts.join());
    await app.close();
  });
});
