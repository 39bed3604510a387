import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { parsePattern } from "#http/routing/pattern.js";

describe("a route's path", () => {
  test("is read in segments", () => {
    assert.deepEqual(parsePattern("/a/:id/*rest").segments, [
      { kind: "static", text: "a" },
      { kind: "param", name: "id" },
      { kind: "rest", name: "rest" },
    ]);
    assert.deepEqual(parsePattern("/").segments, [{ kind: "static", text: "" }]);
    assert.deepEqual(parsePattern("/a/").segments.at(-1), { kind: "static", text: "" });
    assert.deepEqual(parsePattern("/café/:a/:b").names, ["a", "b"]);
    assert.deepEqual(parsePattern("/a::b::/:id").segments[0], { kind: "static", text: "a:b:" });
  });

  test("is refused where it is malformed, saying how", () => {
    const refused: Readonly<Record<string, RegExp>> = {
      a: /begin it with '\/'/,
      "": /begin it with '\/'/,
      "/a//b": /empty segment/,
      "/:": /':' needs a name/,
      "/:a-b": /':a-b' needs a name/,
      "/*": /'\*' needs a name/,
      "/*rest/a": /must be last/,
      "/a:b": /'a:b' must be plain decoded text, with '::' for a colon, or a whole segment/,
      "/a:::b": /'::' for a colon/,
      "/::a": /'::a' needs a name/,
      "/a*": /plain decoded text/,
      "/%61": /plain decoded text/,
      "/a/{id}": /a whole segment ':name'/,
      "/a?b": /plain decoded text/,
      "/a b": /plain decoded text/,
      "/a\\b": /plain decoded text/,
      "/:id/:id": /two parameters 'id'/,
    };
    for (const [path, message] of Object.entries(refused)) {
      assert.throws(() => parsePattern(path), { code: "ROUTE_INVALID", message }, path);
    }
  });
});
