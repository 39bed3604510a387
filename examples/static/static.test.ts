import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { TestApp } from "framework/http";

import { tides } from "./tides.js";

const file = (path: string) => readFileSync(new URL(path, import.meta.url));
const page = { headers: { accept: "text/html,*/*;q=0.8" } };
const assets = ["app-c41e7b02.js", "style-5f0c2a9d.css"];

describe("the page of the tides", () => {
  const app = new TestApp(tides());

  test("is shown wherever one goes in it, and checked each time", async () => {
    for (const path of ["/", "/harbours/brest", "/somewhere/else"]) {
      const { status, text, headers } = await app.get(path, page);

      assert.equal(status, 200);
      assert.equal(text, file("public/index.html").toString());
      assert.equal(headers["cache-control"], "no-cache");
    }
  });

  test("finds its assets under the names that it has for them, for good", async () => {
    const html = file("public/index.html").toString();
    for (const name of assets) {
      const { headers, status } = await app.get(`/assets/${name}`);

      assert.ok(html.includes(`"/assets/${name}"`));
      assert.equal(status, 200);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    }
    assert.equal((await app.get("/assets/lighthouse.svg")).headers["cache-control"], "no-cache");
  });

  test("has its assets compressed, and they are what they say", async () => {
    for (const name of assets) {
      const original = file(`public/assets/${name}`);
      const [br, gzip] = await Promise.all(
        ["br", "gzip"].map((coding) =>
          app.get(`/assets/${name}`, { headers: { "accept-encoding": coding } }),
        ),
      );

      assert.equal(br?.headers["content-encoding"], "br");
      assert.ok(original.equals(br?.bytes ?? Buffer.alloc(0)));
      assert.equal(gzip?.headers["content-encoding"], "gzip");
      assert.ok(original.equals(gzip?.bytes ?? Buffer.alloc(0)));
    }
  });

  test("asks an API that answers for itself", async () => {
    assert.equal((await app.get("/api/tides/brest", page)).status, 200);
    assert.equal((await app.get("/api/tides/none", page)).problem.code, "HARBOUR_UNKNOWN");
    assert.equal((await app.get("/api/none", page)).problem.code, "NOT_FOUND");
    assert.equal((await app.get("/assets/none", page)).problem.code, "NOT_FOUND");
  });

  test("has charts to be kept for an hour, and a part of one", async () => {
    const { status, text, headers } = await app.get("/charts/soundings.csv", {
      headers: { range: "bytes=0-6" },
    });

    assert.deepEqual([status, text], [206, "harbour"]);
    assert.equal(headers["cache-control"], "public, max-age=3600");
    assert.equal(headers["content-type"], "text/csv; charset=utf-8");
  });
});
