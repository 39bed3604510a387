import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type JwsAlgorithm, JwtKeys, JwtVerifier } from "framework/std";

import { AUDIENCE, ISSUER, keyFor, verifierOf } from "../../support/tokens.js";

describe("new JwtVerifier", () => {
  const secret = JwtKeys.secret("0123456789abcdef0123456789abcdef");
  const good = { algorithm: "HS256", keys: secret, issuer: ISSUER, audience: AUDIENCE };
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ["no algorithm", { algorithm: undefined }, /give one or several of HS256/],
    ["an empty list of algorithms", { algorithm: [] }, /give one or several of HS256/],
    ["the algorithm none", { algorithm: "none" }, /"none".*give one or several of HS256/],
    ["an unknown algorithm among others", { algorithm: ["HS256", "HS1"] }, /"HS1"/],
    ["an algorithm in lower case", { algorithm: "hs256" }, /"hs256"/],
    ["a name that every object has", { algorithm: "constructor" }, /"constructor"/],
    ["HS with a public algorithm", { algorithm: ["HS256", "RS256"] }, /one verifier for HS/],
    ["no keys", { keys: undefined }, /JwtKeys\.pemFile/],
    ["keys that are a text", { keys: "0123456789abcdef0123456789abcdef" }, /JwtKeys\.pemFile/],
    [
      "a secret for a public algorithm",
      { algorithm: "RS256" },
      /RS256 needs an RSA key.*a secret of 32 bytes/,
    ],
    ["a secret shorter than the hash", { algorithm: "HS512" }, /HS512 needs a secret of at least 64 bytes/],
    ["no issuer", { issuer: undefined }, /issuer/],
    ["an empty issuer", { issuer: "" }, /issuer/],
    ["no audience", { audience: undefined }, /audience/],
    ["an empty list of audiences", { audience: [] }, /audience/],
    ["an empty audience", { audience: ["orders", ""] }, /audience/],
    ["a skew above 5 minutes", { clockSkewMs: 300_001 }, /clockSkewMs.*300000/],
    ["a negative skew", { clockSkewMs: -1 }, /clockSkewMs/],
    ["a skew that is no number", { clockSkewMs: "30" }, /clockSkewMs/],
    ["an age of nothing", { maxAgeMs: 0 }, /maxAgeMs/],
    ["an empty type", { requiredType: "" }, /requiredType/],
    ["an empty path to roles", { rolesClaim: [] }, /rolesClaim/],
    ["a clock that is none", { now: 1 }, /now/],
    ["an unknown option", { audiences: ["orders"] }, /'audiences' .*; there are /],
  ];
  for (const [what, change, message] of refused)
    test(`throws for ${what}`, () => {
      assert.throws(() => new JwtVerifier({ ...good, ...change } as any), {
        code: "CONFIG_INVALID",
        message,
      });
    });

  const mismatched: readonly (readonly [JwsAlgorithm, JwsAlgorithm])[] = [
    ["ES256", "ES384"],
    ["ES384", "ES512"],
    ["ES512", "ES256"],
    ["RS256", "ES256"],
    ["EdDSA", "RS256"],
    ["HS256", "RS256"],
  ];
  for (const [algorithm, other] of mismatched)
    test(`throws for ${algorithm} with a key for ${other}`, () => {
      assert.throws(() => verifierOf(algorithm, { keys: keyFor(other).keys() }), {
        code: "CONFIG_INVALID",
        message: new RegExp(`${algorithm} needs `),
      });
    });
});
