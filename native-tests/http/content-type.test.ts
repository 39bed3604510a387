import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isJson } from "#http/content-type.js";

describe("a content type", () => {
  test("is JSON for application/json and +json, in UTF-8 or without a charset", () => {
    for (const type of [
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json ; version=1",
      "application/ld+json",
      "application/problem+json; charset=utf8",
    ]) {
      assert.ok(isJson(type), type);
    }
  });

  test("is not JSON for anything else", () => {
    for (const type of [
      "",
      "text/plain",
      "text/json",
      "application/jsonx",
      "application/x-json",
      "application/json; charset=latin1",
      "application/json; charset=utf-16",
      "application/+json ",
      "application/json,text/plain",
      "multipart/form-data",
    ]) {
      assert.ok(!isJson(type), type);
    }
  });
});
