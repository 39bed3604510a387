// What somebody who reads docs/identity.md may get wrong: each message says what to do instead.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";

import { Axon, cookie, Framework, FrameworkError, header, IamIdentity, IamPolicy } from "framework";
import { TestApp } from "framework/http";
import { AuthGuard, cached, IntrospectionVerifier, JwtKeys, JwtVerifier } from "framework/std";

const untyped = (value: unknown): never => value as never;
const SECRET = "x".repeat(32);
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = publicKey.export({ type: "spki", format: "pem" }) as string;
const jwk = publicKey.export({ format: "jwk" });
const good = {
  algorithm: "HS256",
  keys: JwtKeys.secret(SECRET),
  issuer: "https://i.example",
  audience: "a",
} as const;
const verifier = new JwtVerifier(good);
const me = Axon.start("me").thenFn("who", () => "me");
const any = IamPolicy.requireIdentity();
const jwt = (options: object) => new JwtVerifier({ ...good, ...options });
const guarded = (...given: readonly unknown[]) => me.withIam(...(given as [never, never]));

const mistakes: readonly [what: string, make: () => unknown, remedy: RegExp][] = [
  ["an unknown algorithm", () => jwt({ algorithm: "none" }), /"none".*give one or several of HS256/],
  ["algorithms for algorithm", () => jwt({ algorithms: [] }), /'algorithms' .*; there are algorithm/],
  ["a secret for another algorithm", () => jwt({ algorithm: "ES256" }), /ES256 needs an EC key of P-256/],
  ["a text for keys", () => jwt({ keys: SECRET }), /JwtKeys\.secret\(\.\.\.\)/],
  ["an issuer that is not set", () => jwt({ issuer: undefined }), /issuer.*is its variable set/],
  ["an audience that is not set", () => jwt({ audience: undefined }), /audience.*is its variable set/],
  ["a secret that is not set", () => JwtKeys.secret(untyped(undefined)), /is its variable set/],
  ["an empty secret", () => JwtKeys.secret(""), /is its variable set/],
  ["a short secret", () => JwtKeys.secret("changeme"), /8 bytes: HS256 needs 32/],
  ["a PEM for a secret", () => JwtKeys.secret(pem), /use JwtKeys\.pem/],
  ["a key that is not set", () => JwtKeys.pem(untyped(undefined)), /is its variable set/],
  ["bytes for a PEM", () => JwtKeys.pem(untyped(Buffer.from(pem))), /toString/],
  ["a path for a PEM", () => JwtKeys.pem("./key.pem"), /JwtKeys\.pemFile/],
  ["a PEM in one line", () => JwtKeys.pem(pem.replaceAll("\n", "\\n")), /replaceAll\("\\\\n", "\\n"\)/],
  ["the text of a JWK", () => JwtKeys.jwk(untyped(JSON.stringify(jwk))), /JSON\.parse/],
  ["the text of a JWK set", () => JwtKeys.jwkSet(untyped('{"keys":[]}')), /JSON\.parse/],
  ["one JWK for a set", () => JwtKeys.jwkSet(jwk), /JwtKeys\.jwk$/],
  ["a URL that is not set", () => JwtKeys.url(untyped(undefined)), /is a variable not set/],
  ["a URL that is none", () => JwtKeys.url("issuer.example/jwks"), /an absolute one/],
  ["http for https", () => JwtKeys.url("http://issuer.example/jwks"), /use https/],
  [
    "an introspection without a URL",
    () => new IntrospectionVerifier(untyped({ clientId: "a", clientSecret: "b" })),
    /is a variable not set/,
  ],
  ["a text for a policy", () => guarded("admin", verifier), /IamPolicy\.requireRole\("admin"\)/],
  ["a policy that is not called", () => guarded(IamPolicy.requireIdentity, verifier), /call it/],
  ["policy and verifier in the wrong order", () => guarded(verifier, any), /the policy is the first/],
  ["the same for a guard", () => new AuthGuard(untyped(verifier), untyped(any)), /the policy is the first/],
  ["a verifier that is not awaited", () => guarded(any, Promise.resolve(verifier)), /await it/],
  ["options for a verifier", () => guarded(any, good), /new JwtVerifier\(\.\.\.\)/],
  ["options for a verifier to be cached", () => cached(untyped(good)), /new JwtVerifier\(\.\.\.\)/],
  ["a text for the token's place", () => guarded(any, verifier, { token: "access" }), /cookie\("access"\)/],
  ["a function for the token's place", () => guarded(any, verifier, { token: cookie }), /cookie\("access"\)/],
  [
    "the header with its scheme for the token",
    () => guarded(any, verifier, { token: header("Authorization") }),
    /leave token out/,
  ],
  ["a misspelt option", () => guarded(any, verifier, { timeout: 5 }), /'timeout' .*; there are .*timeoutMs/],
  ["a time for a clock", () => guarded(any, verifier, { now: 5 }), /now is a function/],
  ["a number for a clock", () => guarded(any, verifier, { clock: 5 }), /clock is a Clock/],
  ["withIam twice", () => me.withIam(any, verifier).withIam(any, verifier), /IamPolicy\.allOf\(a, b\)/],
  ["several roles for one", () => IamPolicy.requireRole(untyped(["a", "b"])), /anyOf\(a, b\)/],
  ["a text for claims", () => IamPolicy.requireClaims(untyped("email")), /a list, as in requireClaims\(\["/],
  ["a text for a claim's values", () => IamPolicy.requireClaim("team", untyped("ops")), /\["ops"\]/],
  ["a list of policies", () => IamPolicy.anyOf(untyped([any])), /one by one, anyOf\(a, b\)/],
  [
    "an identity that is got behind none()",
    () => {
      const who = me.withIam(IamPolicy.none(), verifier).thenFn("show", (_, bus) => bus.get(IamIdentity), {
        reads: [IamIdentity],
      });
      return new TestApp(Framework.http().get("/", untyped(who)));
    },
    /absent is for 'mayUse', or 'mayRead'/,
  ],
];

describe("whoever gets wrong how callers are identified is told what to do", () => {
  for (const [what, make, remedy] of mistakes)
    test(`of ${what}`, () => {
      // Not throws(make, remedy): what is answered may have a `then`, as an Axon has.
      assert.throws(
        () => void make(),
        (error) =>
          error instanceof FrameworkError && remedy.test(error.message) && !error.message.includes(SECRET),
      );
    });
});
