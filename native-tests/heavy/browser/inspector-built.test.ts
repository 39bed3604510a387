// The page as it is served: built, small, and without anything that a strict policy forbids.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";

import { Framework } from "framework";
import { TestApp } from "framework/http";
import { servePage } from "#inspector/server/page.js";
import { builtInspectorPage } from "../../support/built-page.js";

const MOST_BYTES = 85 * 1024;

describe("the built page of the Inspector", () => {
  let folder: string;
  let page: string;
  let assets: readonly string[];
  before(async () => {
    folder = await builtInspectorPage();
    page = readFileSync(join(folder, "index.html"), "utf8");
    assets = readdirSync(join(folder, "assets")).filter((name) => !name.endsWith(".gz"));
  });

  test("is less than 85 KB compressed", () => {
    const files = ["index.html", ...assets.map((name) => join("assets", name))];
    const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);

    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  });

  test("has no script and no style in itself, and is made of its own files alone", () => {
    assert.doesNotMatch(page, /<style|style=|\son\w+=|javascript:|data:/i);
    for (const [, script = ""] of page.matchAll(/<script[^>]*>([^<]*)</g)) assert.equal(script, "");
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name as string);

    assert.deepEqual(named.map((name) => name.replace("./assets/", "")).sort(), [...assets].sort());
  });

  test("names no other host in its styles, and makes no code of texts", () => {
    for (const name of assets) {
      const text = readFileSync(join(folder, "assets", name), "utf8");
      if (name.endsWith(".css")) assert.doesNotMatch(text, /url\(|@import/, name);
      if (name.endsWith(".js")) assert.doesNotMatch(text, /\beval\(|new Function\(|\bimport\(/, name);
    }
  });

  test("has names for its files that change with what is in them, so that they can be kept for ever", () => {
    for (const name of assets) assert.match(name, /-[\w-]{8}\.(?:js|css|svg)$/);
  });

  test("is served as gzip, and each of its files by one rule for caches, whatever its hash is", async () => {
    const ingress = Framework.http();
    servePage(ingress as never, folder, { without: [] });
    const app = new TestApp(ingress);
    for (const name of assets) {
      const plain = readFileSync(join(folder, "assets", name));
      assert.deepEqual(gunzipSync(readFileSync(join(folder, "assets", `${name}.gz`))), plain);
      const { headers } = await app.get(`/assets/${name}`, { headers: { "accept-encoding": "gzip" } });
      assert.equal(headers["content-encoding"], "gzip", name);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable", name);
    }
    assert.equal((await app.get("/")).headers["cache-control"], "no-cache");
  });
});
