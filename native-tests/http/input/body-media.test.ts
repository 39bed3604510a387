import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { isForm, isJson } from "#http/input/body-media.js";

describe("the content type of a body", () => {
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

  test("is a form for its one type, in UTF-8 or without a charset", () => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "Application/X-WWW-Form-Urlencoded ; charset=UTF-8",
    ])
      assert.ok(isForm(type), type);
    for (const type of [
      "",
      "application/json",
      "multipart/form-data",
      "application/x-www-form-urlencoded; charset=latin1",
      "application/x-www-form-urlencoded2",
    ])
      assert.ok(!isForm(type), type);
  });
});
