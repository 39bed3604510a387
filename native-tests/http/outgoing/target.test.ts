import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { parseBase, targetOf } from "#http/outgoing/target.js";
import { anyText } from "../../support/any-text.js";

const base = parseBase("https://stock.internal:8443/api/v1");

describe("the target of a call", () => {
  test("is below the base, or there is none, whatever the path is", () => {
    const tricky = fc.array(
      fc.constantFrom(
        "/",
        "//",
        ".",
        "..",
        "%2e",
        "%2E.",
        "\\",
        "@evil.example",
        ":80",
        "?",
        "#",
        "\t",
        "\n",
        "a",
        "%2f",
        "https:",
        " ",
      ),
    );
    const paths = fc.oneof(
      tricky.map((parts) => parts.join("")),
      fc.string(),
      anyText(),
    );
    let accepted = 0;
    fc.assert(
      fc.property(paths, (path) => {
        let url: URL;
        try {
          url = targetOf(base, path);
        } catch (error) {
          assert.ok(error instanceof TypeError);
          return;
        }
        accepted += 1;
        assert.ok(url.href.startsWith(base.href), url.href);
        assert.equal(url.host, base.host);
        assert.equal(url.hash, "");
      }),
      { numRuns: 2000 },
    );

    assert.ok(accepted > 100);
  });

  test("is none where any decoding of the path climbs", () => {
    for (const climbing of [
      ...["..", ".", "a/../b", "..%2fadmin", "a/%2e%2e/b", "a%2f..%2fb", "..%5cadmin", "%2e%2e%5c"],
      ...["..%252fadmin", "%252e%252e%252fadmin", "a/..;x=1/b", "..%00/b", "..%3fa", "..%23", "a%5c..%2f"],
      ...["%c0%ae%c0%ae%c0%afadmin", "%u002e%u002e/admin", "..%c1%9cadmin", "%25%32%65%25%32%65/b"],
    ])
      assert.throws(() => targetOf(base, climbing), TypeError, climbing);
    for (const plain of ["a..b", "...", "a/.well-known/b", "a%2fb", "v1.2..3/x", "x?next=/../y", "100%25"])
      assert.ok(targetOf(base, plain).href.startsWith(base.href), plain);
  });

  test("holds any segment that was encoded, but for those that climb", () => {
    fc.assert(
      fc.property(
        // What is one dot or two where a text ends, or is decoded again, is no segment.
        fc
          .string({ unit: "grapheme" })
          .filter((text) => text !== "" && !/^\.{1,2}$|[/\\]\.|\.[/\\;?#\0]|%/.test(text)),
        (segment) => {
          const { pathname } = targetOf(base, `items/${encodeURIComponent(segment)}/x`);

          assert.equal(decodeURIComponent(pathname.split("/")[4] as string), segment);
        },
      ),
    );
  });

  test("holds any query", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())), (query) => {
        const { searchParams } = targetOf(base, "items?first=1", query);

        for (const [name, value] of Object.entries(query))
          assert.equal(
            searchParams.getAll(name).at(-1),
            new URLSearchParams([["v", String(value)]]).get("v"),
          );
      }),
    );
  });
});
