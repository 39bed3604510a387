import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { completionAt } from "../../../src/inspector/ui/condition/completion.js";
import { pathsOfValue } from "../../../src/inspector/ui/condition/paths-of-value.js";
import { piecesOf, readCondition } from "../../../src/inspector/ui/condition/reading.js";

describe("a condition that is typed", () => {
  test("is nothing, right, or wrong at a place", () => {
    assert.deepEqual(readCondition("  "), { kind: "empty" });
    assert.deepEqual(readCondition("total > 100 && !(vip == true)"), { kind: "right" });
    const wrong = readCondition("total > ");
    assert.ok(wrong.kind === "wrong" && wrong.position === 8 && wrong.message.includes("a value"));
  });

  test("is shown whole, in pieces, whatever it is", () => {
    const anyText = fc.oneof(fc.string(), fc.stringMatching(/^[a-c .&|!()=<>"'0-9[\]]{0,40}$/));
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(
          piecesOf(text)
            .map((piece) => piece.text)
            .join(""),
          text,
        );
      }),
    );
  });

  test("is coloured by what its parts are, and marked from where it is wrong", () => {
    const kinds = (text: string) =>
      piecesOf(text)
        .filter(({ kind }) => kind !== "space")
        .map(({ kind, text }) => `${kind} ${text}`);

    assert.deepEqual(kinds('a.b >= 3 && c == "x"'), [
      "path a.b",
      "sign >=",
      "value 3",
      "sign &&",
      "path c",
      "sign ==",
      'value "x"',
    ]);
    assert.deepEqual(kinds("a == true"), ["path a", "sign ==", "value true"]);
    assert.deepEqual(kinds("a > > 3"), ["path a", "sign >", "wrong > 3"]);
  });
});

describe("the paths of a value", () => {
  test("are written as a condition reads them, nearest first", () => {
    const value = { total: 3, lines: [{ sku: "a" }], "odd name": null };

    assert.deepEqual(
      pathsOfValue(value).map(({ path, type }) => `${path} ${type}`),
      [
        "$ object",
        "total number",
        "lines array",
        '$["odd name"] null',
        "lines[0] object",
        "lines[0].sku string",
      ],
    );
  });

  test("parse, whatever the names are, and are bounded", () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`name${n}`, { inner: n }]));
    assert.equal(pathsOfValue(wide).length, 200);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const paths = pathsOfValue(value);
        assert.ok(paths.length <= 200);
        for (const { path } of paths) {
          const reading = readCondition(`${path} == 1`);
          assert.ok(
            reading.kind === "right" || /at most/.test(reading.kind === "wrong" ? reading.message : ""),
            path,
          );
        }
      }),
    );
  });
});

describe("the completion of a path", () => {
  const paths = ["$", "customer", "customer.vip", "total", "lines[0].sku"].map((path) => ({
    path,
    type: "any",
  }));
  const offered = (text: string, caret = text.length) =>
    completionAt(text, caret, paths)?.paths.map(({ path }) => path);

  test("offers what the path may go on to be", () => {
    assert.deepEqual(offered("cu"), ["customer", "customer.vip"]);
    assert.deepEqual(offered("total > 3 && customer."), ["customer.vip"]);
    assert.deepEqual(offered("!(li"), ["lines[0].sku"]);
    assert.deepEqual(offered(""), ["customer", "customer.vip", "total", "lines[0].sku"]);
  });

  test("offers nothing where a value or a comparison stands", () => {
    assert.equal(offered("total "), undefined);
    assert.equal(offered("total > t"), undefined);
    assert.equal(offered("total"), undefined, "nothing to add");
  });

  test("takes the place of what was typed of the path alone", () => {
    assert.deepEqual(
      [completionAt("a == 1 && cu", 12, paths)].map((found) => [found?.from, found?.to]),
      [[10, 12]],
    );
  });
});
