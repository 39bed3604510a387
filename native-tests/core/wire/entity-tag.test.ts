import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { isEntityTag, matchesStrongly, matchesWeakly, parseEntityTags } from "#core/wire/entity-tag.js";

const opaque = fc.stringMatching(/^[\x21\x23-\x7e]{0,6}$/).map((text) => `"${text}"`);
const tag = fc.tuple(fc.boolean(), opaque).map(([isWeak, text]) => (isWeak ? `W/${text}` : text));

describe("entity tags", () => {
  test("are read from a list, whatever spaces and empty elements are in it", () => {
    const gap = fc.stringMatching(/^[ \t]{0,3}$/);
    const element = fc.tuple(gap, fc.option(tag, { nil: "" }), gap);
    fc.assert(
      fc.property(fc.array(element, { minLength: 1 }), (elements) => {
        const text = elements.map((parts) => parts.join("")).join(",");
        const tags = elements.map(([, each]) => each).filter((each) => each !== "");
        assert.deepEqual(parseEntityTags(text), tags);
      }),
    );
  });

  test("may be the star, by itself alone", () => {
    assert.equal(parseEntityTags("*"), "*");
    for (const text of ["**", '*, "a"', '"a", *', "* "]) assert.equal(parseEntityTags(text), undefined, text);
    assert.deepEqual(parseEntityTags('"*"'), ['"*"']);
  });

  test("are nothing without quotes, in single ones, or with what stands beside", () => {
    for (const text of [
      "a",
      "'a'",
      '"a',
      'a"',
      '"a"b',
      '"a" "b"',
      'w/"a"',
      'W/ "a"',
      "W/a",
      '"a";',
      '"a b"',
      '"\t"',
    ])
      assert.equal(parseEntityTags(text), undefined, text);
    assert.deepEqual(parseEntityTags('"a,b", "\u00e9"'), ['"a,b"', '"\u00e9"']);
    assert.deepEqual(parseEntityTags(""), []);
  });

  test("are read in a time that grows with their length", () => {
    for (const text of [`${'"a" '.repeat(20_000)}`, `${" ".repeat(60_000)}x`, `"a"${" ".repeat(60_000)}x`])
      assert.equal(parseEntityTags(text), undefined);
    assert.deepEqual(parseEntityTags(",".repeat(60_000)), []);
  });

  test("match strongly where they are equal and none is weak, and weakly by what is in the quotes", () => {
    // RFC 9110, section 8.8.3.2.
    const table = [
      ['W/"1"', 'W/"1"', false, true],
      ['W/"1"', 'W/"2"', false, false],
      ['W/"1"', '"1"', false, true],
      ['"1"', '"1"', true, true],
    ] as const;
    for (const [one, other, strongly, weakly] of table) {
      assert.deepEqual([matchesStrongly(one, other), matchesStrongly(other, one)], [strongly, strongly]);
      assert.deepEqual([matchesWeakly(one, other), matchesWeakly(other, one)], [weakly, weakly]);
    }
  });

  test("can be sent as ASCII in quotes", () => {
    fc.assert(fc.property(tag, (text) => assert.equal(isEntityTag(text), true)));
    for (const text of ["", "*", "a", '"a', '"a"b', 'w/"a"', '"\u00e9"', '"a\r\n"', '"a"\r\n', '"a b"'])
      assert.equal(isEntityTag(text), false, text);
  });
});
