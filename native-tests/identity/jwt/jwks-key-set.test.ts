import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";

import { JwksKeySet } from "#identity/jwt/jwks-key-set.js";

import { ecKey } from "../../support/jwks-server.js";

const good = ecKey("good").jwk;
const setOf = (...keys: readonly unknown[]): JwksKeySet => {
  const set = JwksKeySet.of({ keys: JSON.parse(JSON.stringify(keys)) });
  assert.ok(set instanceof JwksKeySet, String(set));
  return set;
};
const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync("rsa", { modulusLength, publicExponent }).publicKey.export({ format: "jwk" });
const strong = rsa(2048);
/** Its modulus is a power of 65537 modulo the first primes, as those of CVE-2017-15361 are. */
const roca = (() => {
  const isPrime = (n: number): boolean =>
    Array.from({ length: n - 2 }, (_, i) => i + 2).every((d) => n % d !== 0);
  const primes = Array.from({ length: 166 }, (_, i) => i + 2).filter(isPrime);
  const product = primes.reduce((all, prime) => all * BigInt(prime), 1n);
  const n = (65_537n ** 1234n % product) + product * (((1n << 2047n) / product / 2n) * 2n + 2n);
  const bytes = Buffer.from(n.toString(16).padStart(512, "0"), "hex");
  return { kty: "RSA", n: bytes.toString("base64url"), e: "AQAB" };
})();

describe("a set of keys from a URL", () => {
  const unusable: readonly (readonly [string, unknown])[] = [
    ["no object", "key"],
    ["null", null],
    ["of an unknown kty", { kty: "AKP", alg: "ML-DSA-44", kid: "k", pub: "AAAA" }],
    ["without a kty", { kid: "k" }],
    ["for encryption", { ...ecKey("k").jwk, use: "enc" }],
    ["with other operations", { ...ecKey("k").jwk, key_ops: ["encrypt"] }],
    ["for another algorithm", { ...ecKey("k").jwk, alg: "ES384" }],
    ["for an unknown algorithm", { ...ecKey("k").jwk, alg: "none" }],
    ["of a curve for other things", { ...ecKey("k").jwk, crv: "secp256k1" }],
    ["beside its curve", { ...ecKey("k").jwk, y: good.y }],
    ["of a weak RSA", { ...rsa(1024), kid: "k" }],
    ["of an RSA that can be factored", { ...roca, kid: "k" }],
    ["of an RSA with the exponent 1", { ...strong, kid: "k", e: "AQ" }],
    ["a secret", { kty: "oct", kid: "k", k: Buffer.alloc(32, 1).toString("base64url") }],
    ["a private key", { ...ecKey("k").privateKey.export({ format: "jwk" }), kid: "k" }],
    ["with a kid that is no text", { ...ecKey("k").jwk, kid: 7 }],
    ["with a kid that no token can name", { ...ecKey("k").jwk, kid: "k".repeat(257) }],
    ["in another alphabet", { ...good, kid: "k", x: `${good.x}=` }],
  ];
  for (const [name, jwk] of unusable) {
    test(`passes over one ${name}, and takes the others`, () => {
      const set = setOf(jwk, good);

      assert.equal(set.size, 1);
      assert.ok(set.find("ES256", "good"));
      assert.equal(set.find("ES256", "k"), undefined);
      for (const algorithm of ["RS256", "PS256", "HS256", "ES384"] as const)
        assert.equal(set.find(algorithm, "k"), undefined);
    });
  }

  test("finds a key for the algorithms that it allows, and no other", () => {
    const set = setOf({ ...strong, kid: "any" }, { ...rsa(2048), kid: "one", alg: "PS256" });

    assert.ok(set.find("RS256", "any"));
    assert.ok(set.find("PS512", "any"));
    assert.equal(set.find("ES256", "any"), undefined);
    assert.ok(set.find("PS256", "one"));
    assert.equal(set.find("RS256", "one"), undefined);
  });

  test("finds one without a kid only where no other could be meant", () => {
    assert.ok(setOf(good, { ...strong, kid: "rsa" }).find("ES256", undefined));
    assert.equal(setOf(good, ecKey("other").jwk).find("ES256", undefined), undefined);
    const { kid: _, ...nameless } = good;
    assert.equal(setOf(nameless).find("ES256", "good"), undefined);
    assert.ok(setOf(nameless).find("ES256", undefined));
  });

  test("does not choose between two different keys of one name, in either order", () => {
    const first = ecKey("same").jwk;
    const second = ecKey("same").jwk;

    assert.equal(setOf(first, second).find("ES256", "same"), undefined);
    assert.equal(setOf(second, first, second).find("ES256", "same"), undefined);
    assert.ok(setOf(first, first).find("ES256", "same"), "one key that is written twice");
    const other = setOf(first, { ...strong, kid: "same" });
    assert.equal(other.find("ES256", "same"), undefined);
    assert.equal(other.find("RS256", "same"), undefined);
    const [one, another] = [
      { ...strong, kid: "same", alg: "RS256" },
      { ...strong, kid: "same", alg: "PS256" },
    ];
    assert.ok(setOf(one, another).find("RS256", "same"), "one key for each of its algorithms");
    assert.ok(setOf(one, another).find("PS256", "same"));
  });

  test("tells a kid from an algorithm and another kid", () => {
    const set = setOf(ecKey("ES256 k").jwk, ecKey("__proto__").jwk);

    assert.equal(set.find("ES256", "k"), undefined);
    assert.ok(set.find("ES256", "ES256 k"));
    assert.ok(set.find("ES256", "__proto__"));
    assert.equal(set.find("ES256", "constructor"), undefined);
  });

  test("has all of another where each of its keys is there unchanged", () => {
    const other = ecKey("other").jwk;

    assert.ok(setOf(good, other).hasAllOf(setOf(other, good)));
    assert.ok(setOf(good, other).hasAllOf(setOf(good)));
    assert.ok(!setOf(good).hasAllOf(setOf(good, other)));
    assert.ok(!setOf({ ...good, kid: "renamed" }).hasAllOf(setOf(good)));
    assert.ok(!setOf({ ...strong, kid: "r", alg: "PS256" }).hasAllOf(setOf({ ...strong, kid: "r" })));
    assert.ok(setOf(good).hasAllOf(setOf(good, { ...other, use: "enc" })), "what was no key is not missed");
  });
});
