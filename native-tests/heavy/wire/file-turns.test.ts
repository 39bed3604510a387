// The time of a route while a file waits for its turn: a loaded machine may need more than it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { site } from "../../support/site.js";

const files = site({ "large.bin": "x".repeat(8_000_000), "small.txt": "small" });

const served = () =>
  new TestApp(
    Framework.http({ processGuards: false, reporter: () => {} }).serveDir("/", files, {
      maxOpenFiles: 1,
      cache: false,
      timeoutMs: 250,
    }),
  );

describe("a file whose turn does not come", () => {
  test("is 503 once the route's time is up, and what comes later is served", async () => {
    await using app = served();
    // Whoever reads nothing holds the place.
    const slow = await app.stream("/large.bin");
    const refused = [
      await app.get("/small.txt"),
      await app.get("/large.bin", { headers: { range: "bytes=0-1" } }),
    ];
    slow.leave();

    for (const { status, problem, headers } of refused) {
      assert.deepEqual([status, problem.code], [503, "OVERLOADED"]);
      assert.match(problem.detail ?? "", /files/);
      assert.equal(headers["retry-after"], "1");
    }
    assert.deepEqual(
      [(await app.get("/small.txt")).text, (await app.get("/small.txt")).status],
      ["small", 200],
    );
  });

  test("is not cut when the route's time is up and its sending goes on", async () => {
    await using app = served();
    const slow = await app.stream("/large.bin");
    let bytes = (await slow.next())?.length ?? 0;
    // Refused when more than the time of the first one is up.
    assert.equal((await app.get("/small.txt")).status, 503);
    for await (const piece of slow) bytes += piece.length;

    assert.equal(bytes, 8_000_000);
  });
});
