import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { encoded, goodClaims, hs256, kindOf, signed, verifierOf } from "../../support/tokens.js";

const { verify } = verifierOf("HS256");

describe("the JSON of a token", () => {
  const claims = JSON.stringify(goodClaims());
  const withMore = (more: string) => `${claims.slice(0, -1)},${more}}`;
  const payloads: readonly (readonly [string, string | Buffer])[] = [
    ["is empty text", " "],
    ["is no JSON", "{sub:'alice'}"],
    ["is followed by more", `${claims}{}`],
    ["is a list", `[${claims}]`],
    ["is a text", JSON.stringify(claims)],
    ["is null", "null"],
    ["is a number", "1"],
    ["has an iss twice", withMore('"iss":"https://issuer.example"')],
    ["has an aud twice", withMore('"aud":"orders"')],
    ["has a sub twice", withMore('"sub":"mallory"')],
    ["has an exp twice", withMore('"exp":9999999999')],
    ["has roles twice", withMore('"roles":["admin"]')],
    ["has a member twice, once escaped", withMore('"\\u0073ub":"mallory"')],
    ["has a member twice within another", withMore('"a":{"b":1,"b":2}')],
    ["has a member twice within a list", withMore('"a":[{"b":1,"b":2}]')],
    ["has a member __proto__", withMore('"__proto__":{"roles":["admin"]}')],
    ["has a member __proto__, escaped", withMore('"\\u005f_proto__":{"a":1}')],
    ["has a member __proto__ within another", withMore('"a":{"__proto__":{"roles":["admin"]}}')],
    ["is nested deeper than 16", withMore(`"a":${"[".repeat(16)}${"]".repeat(16)}`)],
    ["is nested very deeply", withMore(`"a":${"[".repeat(2500)}${"]".repeat(2500)}`)],
    ["begins with a byte order mark", `\ufeff${claims}`],
    ["has bytes that are no UTF-8", Buffer.from(withMore('"a":"\xff"'), "latin1")],
    ["has a surrogate as bytes", Buffer.from(withMore('"a":"\xed\xa0\x80"'), "latin1")],
    ["has a long spelling of a character", Buffer.from(withMore('"a":"\xc0\xaf"'), "latin1")],
    ["is in UTF-16", Buffer.from(claims, "utf16le")],
  ];
  for (const [what, payload] of payloads)
    test(`is refused where the payload ${what}`, async () => {
      assert.equal(kindOf(verify(await signed("HS256", payload))), "InvalidToken");
    });

  test("may have any character, and 16 levels", async () => {
    const text = withMore(`"a":"\u00e9\u4e2d\u{1f600} : \\" { }","b":${"[".repeat(15)}${"]".repeat(15)}`);

    assert.equal(kindOf(verify(await signed("HS256", text))), "alice");
  });

  for (const header of [
    "",
    "{}",
    "[]",
    "null",
    '"HS256"',
    '["alg","HS256"]',
    '{"alg":"HS256"',
    '{"alg":"HS256"}x',
    '{"alg":"none","alg":"HS256"}',
    '{"alg":"HS256","alg":"HS256"}',
    '{"alg":"HS256","\\u0061lg":"HS256"}',
    '{"alg":"HS256","kid":"a","kid":"b"}',
    '{"__proto__":{"alg":"HS256"}}',
    '{"alg":"HS256","__proto__":{"crit":[]}}',
    `{"alg":"HS256","a":${"[".repeat(16)}${"]".repeat(16)}}`,
  ])
    test(`is refused where the header is ${header === "" ? "empty" : header}`, () => {
      assert.equal(kindOf(verify(hs256(encoded(header), encoded(goodClaims())))), "InvalidToken");
    });
});
