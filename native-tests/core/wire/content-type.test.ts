import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parseContentType } from "#core/wire/content-type.js";

describe("a content type", () => {
  test("has parameters by their lower-case names, tokens or quoted", () => {
    const { type, parameters } = parseContentType('Multipart/Form-Data;Boundary="a b;\\"c" ; x=1;;') ?? {};

    assert.equal(type, "multipart/form-data");
    assert.deepEqual(
      [...(parameters ?? [])],
      [
        ["boundary", 'a b;"c'],
        ["x", "1"],
      ],
    );
  });

  test("is none where it is malformed, or says one thing twice", () => {
    for (const type of [
      "text",
      "/plain",
      "text/plain/x",
      "text/plain; x",
      "text/plain; =1",
      "text/plain; x=",
      "text/plain; x=a b",
      'text/plain; x="a',
      'text/plain; x="a"b',
      "text/plain; x=1; X=2",
      "text/plain, text/html",
      "text/plain; x = 1",
    ])
      assert.equal(parseContentType(type), undefined, type);
  });
});
