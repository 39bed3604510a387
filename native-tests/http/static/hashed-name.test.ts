import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isHashedName } from "#http/static/media-type.js";

describe("a name with a hash of its content", () => {
  test("is known from those that bundlers write", () => {
    const names = [
      "assets/index-BpXbB1Lq.js",
      "index-Dk_-x9Qz.css",
      "index-B-2_bX1q.css",
      "main.3f2a1b9c4d5e6f708192.js",
      "main.3f2a1b9c.chunk.js",
      "app.3f2a9c4e.js.map",
      "app-5BXQ3VZK.js",
      "3f2a9c4e1b2d3c4f5a6b.png",
      "inter-latin.2d5f1a9e.woff2",
    ];
    for (const name of names) assert.ok(isHashedName(name), name);
  });

  test("is not taken from what people write", () => {
    const names = [
      "index.html",
      "index-BpXbB1Lq.html",
      "app.js",
      "jquery-validate.js",
      "jquery-3.7.1.min.js",
      "bootstrap.bundle.min.css",
      "report-20240115.pdf",
      "backup.1699999999.sql",
      "photo-IMG_0042.jpg",
      "my-component.js",
      "README-ENGLISH.md",
      "facade-decade.js",
      "deadbeef",
      "3f2a9c4e",
      "hello world-12345678.txt",
      "assets-3f2a9c4e/app.js",
    ];
    for (const name of names) assert.ok(!isHashedName(name), name);
  });
});
