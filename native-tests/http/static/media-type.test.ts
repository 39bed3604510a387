import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { looksLikeFile, mediaTypeOf } from "#http/static/media-type.js";

const typeOf = (path: string): string => mediaTypeOf(path, new Map([["glsl", "text/x-shader"]]), "utf-8");

describe("the type of a file", () => {
  test("follows from the end of its name", () => {
    assert.equal(typeOf("a/logo.PNG"), "image/png");
    assert.equal(typeOf("app.min.js"), "text/javascript; charset=utf-8");
    assert.equal(typeOf("index.html"), "text/html; charset=utf-8");
    assert.equal(typeOf("data.json"), "application/json");
    assert.equal(typeOf("icon.svg"), "image/svg+xml");
    assert.equal(typeOf("favicon.ico"), "image/vnd.microsoft.icon");
    assert.equal(typeOf("module.wasm"), "application/wasm");
  });

  test("is bytes where nobody knows", () => {
    for (const path of ["LICENSE", "a.unknown", "a.", "html", "js", "a.html/b"])
      assert.equal(typeOf(path), "application/octet-stream", path);
  });

  test("says no charset of what says its own, and of what an application says", () => {
    assert.equal(typeOf("feed.xml"), "text/xml");
    assert.equal(typeOf("fog.glsl"), "text/x-shader");
    assert.equal(mediaTypeOf("a.css", new Map(), undefined), "text/css");
  });

  test("tells names of files from other ends of paths", () => {
    for (const path of ["/logo.png", "/a/b.JS", "index.html"]) assert.ok(looksLikeFile(path), path);
    for (const path of ["/jane.doe", "/v1.2", "/users", "/a.png/b", "/", ""])
      assert.ok(!looksLikeFile(path), path);
  });
});
