import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { forbidsCoding, isCodable, isCompressible } from "#http/answer/compression/answer-forms.js";

const JSON_LINES = "\r\ncontent-type: application/json";

describe("what is compressed", () => {
  test("is text and what is like it, whatever parameters it has", () => {
    for (const type of [
      "text/plain; charset=utf-8",
      "TEXT/HTML",
      "text/css",
      "application/json",
      "application/vnd.api+json; profile=x",
      "application/xhtml+xml",
      "image/svg+xml",
      "application/javascript",
      "application/x-ndjson",
      "application/wasm",
      "font/ttf",
    ])
      assert.equal(isCompressible(type), true, type);
  });

  test("is nothing that is compressed already, of no known kind, an event or a problem", () => {
    for (const type of [
      "image/png",
      "image/webp",
      "video/mp4",
      "application/zip",
      "application/gzip",
      "application/octet-stream",
      "application/pdf",
      "font/woff2",
      "multipart/byteranges; boundary=x",
      "text/event-stream",
      "text/event-stream; charset=utf-8",
      "application/problem+json",
      "application/jsonx",
      "text",
      "text/",
      "",
    ])
      assert.equal(isCompressible(type), false, type);
  });

  test("is what a program adds", () => {
    assert.equal(isCompressible("application/X-Protobuf; v=1", ["application/x-protobuf"]), true);
    assert.equal(isCompressible("application/x-protobuf"), false);
  });

  test("is nothing whose lines forbid it", () => {
    for (const line of [
      "content-encoding: br",
      "content-encoding: identity",
      "content-range: bytes 0-1/2",
      "content-digest: sha-256=:x:",
      "repr-digest: sha-256=:x:",
      "content-md5: x",
      "cache-control: no-transform",
      "cache-control: public, NO-TRANSFORM, max-age=1",
    ])
      assert.equal(isCodable(200, `${JSON_LINES}\r\n${line}`, []), false, line);
    for (const line of [
      "cache-control: no-store",
      "x-content-encoding: br",
      "x-a: no-transform",
      "accept-ranges: bytes",
    ])
      assert.equal(forbidsCoding(`${JSON_LINES}\r\n${line}`), false, line);
  });

  test("is no answer without a body, and no part of one", () => {
    for (const status of [101, 204, 205, 206, 304]) assert.equal(isCodable(status, JSON_LINES, []), false);
    for (const status of [200, 201, 404, 500]) assert.equal(isCodable(status, JSON_LINES, []), true);
    assert.equal(isCodable(200, "\r\nx-a: 1", []), false);
  });
});
