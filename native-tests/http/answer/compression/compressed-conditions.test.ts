import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework } from "framework";
import { TestApp } from "framework/http";
import { ConditionalRequestGuard } from "framework/std";
import { answering, BROWSER, GZIP, TEXT } from "../../../support/compressing-app.js";

describe("a conditional request to an ingress that compresses", () => {
  function pages() {
    let version = 1;
    const guards = [new ConditionalRequestGuard({ current: () => ({ etag: `"v${version}"` }) })];
    const write = Axon.start<Uint8Array>("write").thenFn("write", () => {
      version += 1;
      return "written";
    });
    return new TestApp(
      Framework.http()
        .compressionLayer()
        .get(
          "/",
          answering(() => TEXT),
          { guards },
        )
        .put("/", write, { input: bytes(), guards }),
    );
  }

  test("is answered by the tag of what the client has, whichever coding that was", async () => {
    const test = pages();
    for (const [headers, etag] of [
      [BROWSER, '"v1+br"'],
      [GZIP, '"v1+gzip"'],
      [{}, '"v1"'],
    ] as const) {
      const full = await test.get("/", { headers });
      assert.equal(full.headers["etag"], etag);

      const again = await test.get("/", { headers: { ...headers, "if-none-match": etag } });
      assert.deepEqual(
        [again.status, again.headers["etag"], again.headers["vary"], again.headers["content-encoding"]],
        [304, etag, "accept-encoding", undefined],
      );
    }
  });

  test("finds the tag on several lines, and says the one that would be sent now", async () => {
    const { status, headers } = await pages().get("/", {
      headers: { ...GZIP, "if-none-match": ['"v0+br"', '"v1+br"', 'W/"v9", "v1+gzip"'] },
    });

    assert.deepEqual([status, headers["etag"]], [304, '"v1+gzip"']);
  });

  test("knows a tag that a proxy has made weak, which is a condition of reading and not of a change", async () => {
    const test = pages();
    const weak = 'W/"v1+gzip"';
    const read = await test.get("/", { headers: { ...GZIP, "if-none-match": weak } });
    const written = await test.put("/", { body: "x", headers: { "if-match": weak } });

    assert.deepEqual([read.status, read.headers["etag"], written.status], [304, '"v1+gzip"', 412]);
  });

  test("lets a client change what it has read compressed, once", async () => {
    const test = pages();
    const { headers } = await test.get("/", { headers: BROWSER });
    const condition = { "if-match": headers["etag"] as string };
    const statuses = [];
    for (const _ of [1, 2]) statuses.push((await test.put("/", { body: "x", headers: condition })).status);

    assert.deepEqual(statuses, [200, 412]);
  });
});
