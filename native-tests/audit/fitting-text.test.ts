import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { fittingText } from "#audit/event/fitting-text.js";

const part = fc.oneof(
  fc.constantFrom("\0", "\ud800", "\udc00", "\\", "\\u", "\\u0000", "u0000", "(empty)", "😀", "é"),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const texts = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
const cut = (text: string): string => fittingText(text, 200);

/** What a text was that was not cut. */
function original(kept: string): string {
  if (kept === "(empty)") return "";
  if (/^\\+\(empty\)$/.test(kept)) return kept.slice(1);
  return kept.replace(/(\\+)u([0-9a-f]{4})/g, (_, { length }: string, code: string) => {
    const slashes = "\\".repeat(Math.floor(length / 2));
    return slashes + (length % 2 === 0 ? `u${code}` : String.fromCharCode(Number.parseInt(code, 16)));
  });
}

describe("a text that is made to fit", () => {
  test("is well-formed, short enough, and tells what it was", () => {
    // FT1: what it was is read from it.
    // FT2: usual texts stay.
    fc.assert(
      fc.property(texts, (text) => {
        const kept = fittingText(text, 4000);

        assert.ok(kept !== "" && Buffer.from(kept).toString() === kept && !kept.includes("\0"));
        assert.equal(original(kept), text);
        if (/^[\w .:/\\@-]+$/.test(text) && !/\\u[0-9a-f]{4}/.test(text)) assert.equal(kept, text, "FT2");
      }),
      { examples: [[""], ["(empty)"], ["\\(empty)"], ["\\\0"], ["\0u0000"], ["\\\\u0000\ud800"]] },
    );
  });

  test("is another than each other's, where both are cut or seem to be", () => {
    const long = fc.string({ unit: "binary", minLength: 150, maxLength: 500 });
    fc.assert(
      fc.property(fc.oneof(texts, long), fc.oneof(texts, long), (one, other) => {
        const kept = [one, cut(one), other, cut(other)].map(cut);

        assert.equal(new Set(kept).size, new Set([one, cut(one), other, cut(other)]).size);
        for (const text of kept)
          assert.ok(
            Buffer.from(text).toString() === text && Buffer.byteLength(text) <= 200 && !text.includes("\0"),
          );
      }),
    );
  });

  test("is made in linear time of backslashes alone", () => {
    assert.equal(fittingText("\\".repeat(5_000_000), 1000).length < 1000, true);
    assert.equal(fittingText(`${"\\".repeat(5_000_000)}\0`, 1000).length < 1000, true);
  });
});
