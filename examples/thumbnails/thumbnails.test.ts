import assert from "node:assert/strict";
import { after, describe, test } from "node:test";

import { TestApp } from "framework/http";

import { app } from "./app.js";

describe("the thumbnails", () => {
  const pictures = new TestApp(app());
  after(() => pictures.close());
  const headers = { "content-type": "application/octet-stream" };

  test("are half as wide, each pixel the mean of four", async () => {
    const { status, bytes } = await pictures.post("/thumbnails", {
      headers,
      body: Uint8Array.of(1, 3, 10, 10, 5, 7, 10, 10, 0, 0, 8, 8, 0, 0, 8, 8),
    });

    assert.equal(status, 200);
    assert.deepEqual([...bytes], [4, 10, 0, 8]);
  });

  test("are refused of a picture that is too small", async () => {
    const { problem } = await pictures.post("/thumbnails", { headers, body: Uint8Array.of(1) });

    assert.deepEqual([problem.status, problem.code], [422, "TOO_SMALL"]);
  });

  test("have the same seal in a thread and on the event loop", async () => {
    const body = new Uint8Array(16).fill(9);
    const [there, here] = await Promise.all([
      pictures.post("/seals", { headers, body }),
      pictures.post("/seals-inline", { headers, body }),
    ]);

    assert.match(there.text, /^[0-9a-f]{32}$/);
    assert.equal(there.text, here.text);
  });
});
