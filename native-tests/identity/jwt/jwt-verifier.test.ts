import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { IamError, IamIdentity, IamPolicy, IamToken, type IamVerifier, isFault } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { cached, type JwsAlgorithm, JwtKeys, type JwtVerifierOptions } from "framework/std";
import { SignJWT } from "jose";
import {
  ALGORITHMS,
  AUDIENCE,
  encoded,
  goodClaims,
  ISSUER,
  keyFor,
  kindOf,
  NOW,
  otherKeyFor,
  signed,
  verifierOf,
} from "../../support/tokens.js";

describe("a JwtVerifier", () => {
  for (const algorithm of ALGORITHMS) {
    test(`verifies what ${algorithm} has signed, synchronously`, async () => {
      const { verify } = verifierOf(algorithm);
      const token = await new SignJWT({ roles: ["reader"] })
        .setProtectedHeader({ alg: algorithm, typ: "JWT" })
        .setIssuer(ISSUER)
        .setAudience(["others", AUDIENCE])
        .setSubject("bob")
        .setExpirationTime(NOW + 60)
        .sign(keyFor(algorithm).sign);

      const identity = verify(token);

      assert.ok(!(identity instanceof IamError), `it answered ${JSON.stringify(identity)}`);
      assert.equal(identity.subject, "bob");
      assert.equal(identity.issuer, ISSUER);
      assert.deepEqual(identity.roles, ["reader"]);
      assert.equal(identity.expiresAt, (NOW + 60) * 1000);
    });

    test(`refuses what another key of ${algorithm} has signed`, async () => {
      const { verify } = verifierOf(algorithm);
      const other = otherKeyFor(algorithm);

      assert.equal(kindOf(verify(await signed(algorithm, goodClaims(), {}, other.sign))), "InvalidToken");
    });
  }

  test("verifies Ed448 as EdDSA", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed448");
    const keys = JwtKeys.pem(publicKey.export({ type: "spki", format: "pem" }) as string);
    const { verify } = verifierOf("EdDSA", { keys });
    const { sign } = await import("node:crypto");
    const input = `${encoded({ alg: "EdDSA" })}.${encoded(goodClaims())}`;
    const signature = sign(null, Buffer.from(input), privateKey);

    assert.equal(kindOf(verify(`${input}.${signature.toString("base64url")}`)), "alice");
    signature[0] = (signature[0] as number) ^ 1;
    assert.equal(kindOf(verify(`${input}.${signature.toString("base64url")}`)), "InvalidToken");
  });

  test("verifies several algorithms, each by its own key", async () => {
    const algorithms: JwsAlgorithm[] = ["RS256", "ES256"];
    const keys = JwtKeys.jwkSet({
      keys: algorithms.map((alg) => ({ ...keyFor(alg).publicKey?.export({ format: "jwk" }), kid: alg })),
    });
    const { verify } = verifierOf("RS256", { algorithm: algorithms, keys });

    for (const alg of algorithms) {
      assert.equal(kindOf(verify(await signed(alg, goodClaims(), { kid: alg }))), "alice");
      assert.equal(kindOf(verify(await signed(alg))), "alice", "one key alone is for it");
    }
    assert.equal(kindOf(verify(await signed("ES256", goodClaims(), { kid: "RS256" }))), "InvalidToken");
  });

  test("is drawn by its algorithm and issuer", () => {
    assert.equal(verifierOf("ES256").verifier.description, "JWT ES256 by https://issuer.example");
  });

  test("has the generation of its keys", () => {
    let generation = 1;
    const keys = {
      description: "rotated",
      find: () => undefined,
      get generation() {
        return generation;
      },
    };
    const { verifier } = verifierOf("ES256", { keys });

    assert.equal(verifier.generation, 1);
    generation = 2;
    assert.equal(verifier.generation, 2);
    assert.equal(verifierOf("ES256").verifier.generation, 0);
  });

  test("waits for keys that come later", async () => {
    const key = keyFor("ES256").publicKey as KeyObject;
    const { verify } = verifierOf("ES256", { keys: { description: "later", find: async () => key } });
    const answer = verify(await signed("ES256")) as unknown;

    assert.ok(answer instanceof Promise);
    assert.equal(kindOf(await answer), "alice");
  });

  test("answers the error of its keys", async () => {
    const error = IamError.verifierUnavailable("no answer from the issuer");
    const { verify } = verifierOf("ES256", { keys: { description: "down", find: () => error } });

    assert.equal(verify(await signed("ES256")), error);
  });

  const misfits: readonly (readonly [string, () => unknown, RegExp])[] = [
    ["a key for another algorithm", () => keyFor("RS256").publicKey, /an RSA key.*EC key of P-256/],
    ["a secret", () => createSecretKey(Buffer.alloc(32, 1)), /a secret of 32 bytes.*EC key of P-256/],
    ["a private key", () => keyFor("ES256").sign, /a key that is a private key/],
    ["what is no key", () => "-----BEGIN PUBLIC KEY-----", /no KeyObject/],
  ];
  for (const [what, find, message] of misfits)
    test(`throws where its keys answer ${what}`, async () => {
      const keys = { description: "mistaken", find: find as () => KeyObject };
      const { verify } = verifierOf("ES256", { keys });
      const token = await signed("ES256");

      assert.throws(() => verify(token), { code: "CONFIG_INVALID", message });
    });
});

describe("the claims", () => {
  const { verify } = verifierOf("HS256");
  const answerTo = async (change: Readonly<Record<string, unknown>>) =>
    kindOf(verify(await signed("HS256", goodClaims(change))));

  test("are the identity's, and have no prototype at any depth", async () => {
    const claims = goodClaims({ email: "a@b.example", address: { city: "Bern", more: [{ a: 1 }] } });
    const identity = verify(await signed("HS256", claims)) as IamIdentity;

    assert.equal(JSON.stringify(identity.claims), JSON.stringify(claims));
    const { address } = identity.claims as { address: { more: object[] } };
    for (const one of [identity.claims, address, address.more[0]])
      assert.equal(Object.getPrototypeOf(one), null);
  });

  const wrong: readonly (readonly [string, readonly unknown[]])[] = [
    [
      "iss",
      [
        undefined,
        null,
        1,
        "",
        ["https://issuer.example"],
        "https://issuer.example/",
        "HTTPS://issuer.example",
      ],
    ],
    [
      "aud",
      [
        undefined,
        null,
        1,
        "",
        [],
        {},
        "order",
        "orders ",
        ["others"],
        [1, "orders"],
        [["orders"]],
        { orders: true },
      ],
    ],
    ["sub", [undefined, null, "", 1, true, ["alice"], { name: "alice" }]],
    ["exp", [undefined, null, "", String(NOW + 60), true, [NOW + 60], {}, 8.7e12, -8.7e12]],
    ["nbf", [null, "", String(NOW - 60), false, [], {}]],
    ["iat", [null, "", String(NOW - 60), false, [], {}]],
    ["jti", [null, 1, [], {}]],
    // Bound to a key: of use only together with a proof, which nobody here checks.
    ["cnf", [null, { jkt: "x" }, {}]],
    ["roles", [null, "admin", 1, true, {}, { 0: "admin", length: 1 }, ["admin", 1], [["admin"]]]],
  ];
  for (const [name, values] of wrong)
    for (const value of values)
      test(`are refused where ${name} is ${value === undefined ? "missing" : JSON.stringify(value)}`, async () => {
        assert.equal(await answerTo({ [name]: value }), "InvalidToken");
      });

  test("are refused where a number is infinite", async () => {
    for (const name of ["exp", "nbf", "iat"])
      for (const number of ["1e999", "-1e999"]) {
        const text = `${JSON.stringify(goodClaims({ [name]: undefined })).slice(0, -1)},"${name}":${number}}`;
        assert.equal(kindOf(verify(await signed("HS256", text))), "InvalidToken");
      }
  });

  test("may have a fraction of a second", async () => {
    assert.equal(await answerTo({ exp: NOW + 0.5, nbf: NOW - 0.5, iat: NOW - 0.5 }), "alice");
  });

  test("give no roles where there are none", async () => {
    const token = await signed("HS256", goodClaims({ roles: undefined }));

    assert.deepEqual((verify(token) as IamIdentity).roles, []);
  });

  test("give the roles of a claim within others", async () => {
    const nested = verifierOf("HS256", { rolesClaim: ["realm_access", "roles"] });
    const rolesOf = async (realm: unknown) => {
      const answer = nested.verify(await signed("HS256", goodClaims({ realm_access: realm })));
      return answer instanceof IamError ? answer.kind : answer.roles;
    };

    assert.deepEqual(await rolesOf({ roles: ["clerk"] }), ["clerk"]);
    assert.deepEqual(await rolesOf(undefined), []);
    assert.deepEqual(await rolesOf({}), []);
    for (const realm of ["clerk", null, ["clerk"], { roles: "clerk" }])
      assert.equal(await rolesOf(realm), "InvalidToken");
  });

  test("give the roles of a claim with dots in its name", async () => {
    const dotted = verifierOf("HS256", { rolesClaim: "https://issuer.example/roles" });
    const token = await signed("HS256", goodClaims({ "https://issuer.example/roles": ["clerk"] }));

    assert.deepEqual((dotted.verify(token) as IamIdentity).roles, ["clerk"]);
  });

  test("give no roles that an object inherits", async () => {
    const inherited = verifierOf("HS256", { rolesClaim: ["constructor", "name"] });

    assert.deepEqual((inherited.verify(await signed("HS256")) as IamIdentity).roles, []);
  });
});

describe("the time of a token", () => {
  const at = (ms: number, options: Partial<JwtVerifierOptions> = {}) =>
    verifierOf("HS256", { now: () => ms, clockSkewMs: 2000, ...options }).verify;

  test("ends at exp and the skew, to the millisecond", async () => {
    const token = await signed("HS256", goodClaims({ exp: NOW }));

    assert.equal(kindOf(at(NOW * 1000 + 1999)(token)), "alice");
    assert.equal(kindOf(at(NOW * 1000 + 2000)(token)), "Expired");
  });

  test("has ended for a clock that is broken", async () => {
    assert.equal(kindOf(at(Number.NaN)(await signed("HS256"))), "Expired");
  });

  test("begins at nbf less the skew, to the millisecond", async () => {
    const token = await signed("HS256", goodClaims({ nbf: NOW }));

    assert.equal(kindOf(at(NOW * 1000 - 2001)(token)), "InvalidToken");
    assert.equal(kindOf(at(NOW * 1000 - 2000)(token)), "alice");
  });

  test("is not before its iat", async () => {
    const token = await signed("HS256", goodClaims({ iat: NOW }));

    assert.equal(kindOf(at(NOW * 1000 - 2001)(token)), "InvalidToken");
    assert.equal(kindOf(at(NOW * 1000 - 2000)(token)), "alice");
  });

  test("has a skew of 30 s where none is given", async () => {
    const token = await signed("HS256", goodClaims({ exp: NOW }));
    const verifyAt = (now: number) => verifierOf("HS256", { now: () => now }).verify;

    assert.equal(kindOf(verifyAt(NOW * 1000 + 29_999)(token)), "alice");
    assert.equal(kindOf(verifyAt(NOW * 1000 + 30_000)(token)), "Expired");
  });

  test("ends with its age, where that comes first", async () => {
    const verify = at(NOW * 1000, { maxAgeMs: 10_000 });
    const aged = async (iat: number | undefined, exp = NOW + 60) =>
      verify(await signed("HS256", goodClaims({ iat, exp })));

    const young = (await aged(NOW - 5)) as IamIdentity;
    assert.equal(young.expiresAt, (NOW + 5) * 1000);
    assert.equal(((await aged(NOW - 5, NOW + 1)) as IamIdentity).expiresAt, (NOW + 1) * 1000);
    assert.equal(kindOf(await aged(NOW - 11.999)), "alice");
    assert.equal(kindOf(await aged(NOW - 12)), "Expired");
    assert.equal(kindOf(await aged(undefined)), "InvalidToken");
  });

  test("is of no interest where anything else is wrong", async () => {
    const expired = { exp: NOW - 600 };
    const { verify } = verifierOf("HS256");
    const good = await signed("HS256", goodClaims(expired));
    const forged = await signed("HS256", goodClaims(expired), {}, otherKeyFor("HS256").sign);

    assert.equal(kindOf(verify(good)), "Expired");
    assert.equal(kindOf(verify(forged)), "InvalidToken");
    for (const change of [
      { iss: "https://other.example" },
      { aud: "others" },
      { sub: 1 },
      { roles: "admin" },
    ])
      assert.equal(
        kindOf(verify(await signed("HS256", goodClaims({ ...expired, ...change })))),
        "InvalidToken",
      );
  });
});

describe("the type of a token", () => {
  const typed = async (typ: unknown, requiredType?: string) => {
    const { verify } = verifierOf("HS256", requiredType === undefined ? {} : { requiredType });
    return kindOf(verify(await signed("HS256", goodClaims(), typ === undefined ? {} : { typ })));
  };

  test("is JWT or absent where none is required", async () => {
    for (const typ of [undefined, "JWT", "jwt", "application/jwt", "Application/JWT"])
      assert.equal(await typed(typ), "alice");
    for (const typ of ["at+jwt", "logout+jwt", "", "jwt ", null, 1, ["JWT"]])
      assert.equal(await typed(typ), "InvalidToken");
  });

  test("is the required one alone", async () => {
    for (const typ of ["at+jwt", "AT+JWT", "application/at+jwt"])
      for (const required of ["at+jwt", "application/AT+jwt"])
        assert.equal(await typed(typ, required), "alice");
    for (const typ of [undefined, "JWT", "at+jwt+more", "application/application/at+jwt"])
      assert.equal(await typed(typ, "at+jwt"), "InvalidToken");
  });
});

describe("JwtVerifier before an Axon", () => {
  for (const wrap of [(verifier: IamVerifier) => verifier, (verifier: IamVerifier) => cached(verifier)])
    test("lets in until exp and the skew", async () => {
      const clock = { ms: NOW * 1000 };
      const now = () => clock.ms;
      const { verifier } = verifierOf("HS256", { now, clockSkewMs: 2000 });
      const axon = Axon.start("me")
        .withIam(IamPolicy.requireIdentity(), wrap(verifier), { now })
        .thenFn("name", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] });
      const token = await signed("HS256");
      const ask = async (ms: number) => {
        clock.ms = ms;
        const { outcome } = await new AxonTestKit().set(IamToken, token).run(axon, undefined);
        return isFault(outcome) ? outcome.error.code : outcome;
      };
      const end = (NOW + 60) * 1000;

      assert.deepEqual(
        [await ask(end - 1), await ask(end + 1999), await ask(end + 2000)],
        ["alice", "alice", "TOKEN_EXPIRED"],
      );
    });
});
