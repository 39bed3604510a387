import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { matchesStrongly, matchesWeakly, parseEntityTags } from "#core/wire/entity-tag.js";
import {
  mayHoldCodedTag,
  withAskedTag,
  withCodedTag,
  withPlainTags,
} from "#http/answer/compression/coded-tags.js";

const CODINGS = ["br", "gzip"] as const;
const opaque = fc.stringMatching(/^[\x21\x23-\x7e]{0,8}$/);
const tag = fc.tuple(fc.boolean(), opaque).map(([isWeak, text]) => `${isWeak ? "W/" : ""}"${text}"`);
const coding = fc.constantFrom(...CODINGS);

const tagIn = (lines: string): string => /\r\netag: ([^\r]*)/.exec(lines)?.[1] ?? "";

describe("the tag of a coded answer", () => {
  test("is another than that of the plain one where that is strong, and the same where it is weak", () => {
    fc.assert(
      fc.property(tag, coding, (plain, coded) => {
        const made = tagIn(withCodedTag(`\r\nx-a: 1\r\netag: ${plain}\r\nx-b: "2"`, coded));

        if (plain.startsWith("W/")) assert.equal(made, plain);
        else assert.ok(!matchesStrongly(made, plain) && parseEntityTags(made)?.length === 1);
      }),
    );
  });

  test("matches the plain one when a client brings it back, among whatever others", () => {
    fc.assert(
      fc.property(fc.array(tag), tag, coding, fc.array(tag), (before, plain, coded, after) => {
        const asked = [...before, tagIn(withCodedTag(`\r\netag: ${plain}`, coded)), ...after].join(", ");
        const read = parseEntityTags(withPlainTags(asked)) as readonly string[];

        assert.ok(read.some((each) => matchesWeakly(each, plain)));
        if (!plain.startsWith("W/")) {
          assert.ok(mayHoldCodedTag(asked));
          assert.ok(read.some((each) => matchesStrongly(each, plain)));
        }
      }),
    );
  });

  test("leaves what a client asks for as it is, and adds no more than the plain ones", () => {
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        const read = parseEntityTags(withPlainTags(tags.join(", "))) as readonly string[];
        const plain = tags.flatMap((each) => /^((?:W\/)?"[^"]*)\+(?:br|gzip)"$/.exec(each)?.[1] ?? []);

        assert.deepEqual(read, [...tags, ...plain.map((each) => `${each}"`)]);
      }),
    );
  });

  test("is on a 304 where the client has just said it", () => {
    const lines = '\r\netag: "v1"';
    const asked = (text: string, codings: readonly ("br" | "gzip")[] = CODINGS) =>
      tagIn(withAskedTag(lines, text, codings));

    assert.equal(asked('"v1+gzip"'), '"v1+gzip"');
    assert.equal(asked('"v1", "v1+gzip", "v1+br"'), '"v1+br"');
    assert.equal(asked('"v1+gzip", "v1+br"', ["gzip", "br"]), '"v1+gzip"');
    assert.equal(asked('"v1"'), '"v1"');
    assert.equal(asked('"v2+br"'), '"v1"');
    assert.equal(asked(""), '"v1"');
    assert.equal(withAskedTag('\r\netag: W/"v1"', '"v1+br"', CODINGS), '\r\netag: W/"v1"');
    assert.equal(withAskedTag("\r\nlast-modified: x", '"v1+br"', CODINGS), "\r\nlast-modified: x");
  });
});
