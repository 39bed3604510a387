import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { bytesOfBase64url } from "#identity/base64url.js";
import { jsonObjectOf } from "#identity/strict-json.js";

describe("base64url", () => {
  test("gives back every bytes from what they are written as", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString("base64url");
        assert.deepEqual(bytesOfBase64url(text), Buffer.from(bytes));
      }),
    );
  });

  test("takes one text for any bytes: of all texts none but the one that is written", () => {
    const character = fc.constantFrom(..."ABCgQwyz0189-_+/= \n.\u00e9\u0141\u4e2d");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const isOne = /^[\w-]*$/.test(text) && text.length % 4 !== 1;
        const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".indexOf(
          text.at(-1) ?? "A",
        );
        // RFC 4648, section 3.5: the bits that are left over are zero.
        const unused = [0, 0, 15, 3][text.length % 4] as number;
        assert.equal(bytesOfBase64url(text) !== undefined, isOne && (last & unused) === 0);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("strict JSON", () => {
  const read = (text: string) => jsonObjectOf(Buffer.from(text));
  const plain = fc.jsonValue({ maxDepth: 6 }).filter((value) => !JSON.stringify(value).includes("__proto__"));

  test("reads every object as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), plain), fc.nat({ max: 3 }), (members, spaces) => {
        fc.pre(!Object.hasOwn(members, "__proto__"));
        const text = JSON.stringify(members, null, spaces);
        const value = read(text);
        assert.equal(typeof value, "object", text);
        assert.equal(JSON.stringify(value), JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("refuses every object with a name twice, wherever it stands and however it is spelt", () => {
    const escaped = (name: string) =>
      [...name].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
    const name = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        name,
        plain,
        plain,
        fc.boolean(),
        fc.nat({ max: 4 }),
        (twice, one, other, isEscaped, depth) => {
          const second = isEscaped ? `"${escaped(twice)}"` : JSON.stringify(twice);
          let text = `{"0":1,${JSON.stringify(twice)}:${JSON.stringify(one)},${second}:${JSON.stringify(other)}}`;
          for (let level = 0; level < depth; level += 1)
            text = level % 2 === 0 ? `{"a":[${text}]}` : `{"b":${text}}`;
          assert.equal(read(text), "has two members of one name");
        },
      ),
    );
  });
});
