// Requests for a file while as many are being sent as may be. native-tests/heavy/wire has those whose
// time is up.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { site } from "../../support/site.js";

const files = site({ "large.bin": "x".repeat(8_000_000), "small.txt": "small" });

test("a file whose turn comes late is sent, to those who are there still, and HEAD waits for none", async () => {
  await using app = new TestApp(
    Framework.http({ processGuards: false, reporter: () => {} }).serveDir("/", files, {
      maxOpenFiles: 1,
      cache: false,
      timeoutMs: 60_000,
    }),
  );
  const slow = await app.stream("/large.bin");
  const gone = new AbortController();
  const left = app.get("/small.txt", { signal: gone.signal });
  const waiting = app.get("/small.txt");
  assert.equal((await app.head("/large.bin")).headers["content-length"], "8000000");
  gone.abort();
  await assert.rejects(left);
  slow.leave();

  assert.equal((await waiting).text, "small");
});
