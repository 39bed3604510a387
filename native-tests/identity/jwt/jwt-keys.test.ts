import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { inspect } from "node:util";

import { IamError, Secret } from "framework/core";
import { type JwsAlgorithm, JwtKeys, type VerificationKeys } from "framework/std";

import { goodClaims, keyFor, otherKeyFor, signed, verifierOf } from "../../support/tokens.js";

const folder = mkdtempSync(join(tmpdir(), "keys-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const pemOf = (key: KeyObject | undefined, type = "spki") =>
  (key as KeyObject).export({ type: type as "spki", format: "pem" }) as string;
const jwkOf = (key: KeyObject | undefined, more: object = {}) => ({
  ...(key as KeyObject).export({ format: "jwk" }),
  ...more,
});
const octOf = (bytes: number, more: object = {}) => ({
  kty: "oct",
  k: randomBytes(bytes).toString("base64url"),
  ...more,
});

const rsa = jwkOf(keyFor("RS256").publicKey);
const ec = jwkOf(keyFor("ES256").publicKey);
const ed = jwkOf(keyFor("EdDSA").publicKey);

async function verifies(algorithm: JwsAlgorithm, keys: VerificationKeys, kid?: string): Promise<boolean> {
  const token = await signed(algorithm, goodClaims(), kid === undefined ? {} : { kid });
  return !(verifierOf(algorithm, { keys }).verify(token) instanceof IamError);
}

const refuses = (make: () => unknown, message: RegExp) =>
  assert.throws(make, (error: Error & { code?: string }) => {
    assert.equal(error.code, "CONFIG_INVALID");
    assert.match(error.message, message);
    return true;
  });

describe("JwtKeys.secret", () => {
  test("takes text, bytes, and either as a Secret", async () => {
    const text = "a secret of more than 32 characters: \u00e9\u4e2d";
    const bytes = Buffer.from(text, "utf8");
    const token = await signed("HS256", goodClaims(), {}, bytes);

    for (const secret of [
      text,
      bytes,
      new Uint8Array(bytes),
      new Secret<string>(text),
      new Secret<Uint8Array>(bytes),
    ]) {
      const { verify } = verifierOf("HS256", { keys: JwtKeys.secret(secret) });
      assert.equal(verify(token) instanceof IamError, false);
    }
  });

  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ["nothing", undefined, /as text or bytes/],
    ["null", null, /as text or bytes/],
    ["a number", 12345678901234567890123456789012n, /as text or bytes/],
    ["an empty text", "", /empty: is its variable set/],
    ["no bytes", new Uint8Array(), /empty/],
    ["an empty Secret", new Secret(""), /empty/],
    ["31 bytes", "x".repeat(31), /has 31 bytes: HS256 needs 32/],
    ["a PEM text", pemOf(keyFor("RS256").publicKey), /PEM text: use JwtKeys\.pem/],
    ["a PEM text as bytes", Buffer.from(pemOf(keyFor("ES256").publicKey)), /PEM text: use JwtKeys\.pem/],
    ["a JWK as text", JSON.stringify(rsa), /that is a JWK, .*JwtKeys\.jwk/],
    ["a key of OpenSSH", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2Bf2Tq", /a key of OpenSSH/],
    ["a public key in DER", keyFor("ES256").publicKey?.export({ type: "spki", format: "der" }), /in DER/],
    [
      "a public key in the base64 of DER",
      keyFor("RS256").publicKey?.export({ type: "pkcs1", format: "der" }).toString("base64"),
      /in DER/,
    ],
    ["a text that ends in a line break", `${"x".repeat(40)}\n`, /white space: trim it/],
  ];
  for (const [what, secret, message] of refused)
    test(`refuses ${what}`, () => refuses(() => JwtKeys.secret(secret as string), message));

  test("is for the algorithms whose hash is no longer than it", () => {
    for (const [bytes, good, short] of [
      [32, "HS256", "HS384"],
      [47, "HS256", "HS384"],
      [48, "HS384", "HS512"],
      [63, "HS384", "HS512"],
    ] as const) {
      const keys = JwtKeys.secret(randomBytes(bytes));
      verifierOf(good, { keys });
      refuses(() => verifierOf(short, { keys }), new RegExp(`${short} needs a secret of at least`));
    }
  });

  test("refuses a keyId that is none, and an option that there is not", () => {
    const secret = "x".repeat(32);
    for (const keyId of ["", "k".repeat(257), 1])
      refuses(() => JwtKeys.secret(secret, { keyId: keyId as string }), /keyId/);
    refuses(() => JwtKeys.secret(secret, { kid: "k1" } as object), /'kid' .*; there are keyId/);
  });

  test("shows nothing of the secret", () => {
    const keys = JwtKeys.secret("do not show this to anybody at all");

    assert.doesNotMatch(
      `${keys.description} ${JSON.stringify(keys)} ${inspect(keys, { depth: 9 })}`,
      /do not show/,
    );
  });
});

describe("JwtKeys.pem", () => {
  test("takes a public key, and one of RSA in the older form", async () => {
    for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
      assert.equal(await verifies(algorithm, JwtKeys.pem(pemOf(keyFor(algorithm).publicKey))), true);
    assert.equal(await verifies("RS256", JwtKeys.pem(pemOf(keyFor("RS256").publicKey, "pkcs1"))), true);
    assert.equal(
      await verifies("ES256", JwtKeys.pemFile(file("ec.pem", pemOf(keyFor("ES256").publicKey)))),
      true,
    );
  });

  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const odd = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
  const pem = pemOf(keyFor("RS256").publicKey);
  const signing = (format: string) =>
    pemOf(keyFor(format === "sec1" ? "ES256" : "RS256").sign as KeyObject, format);
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ["nothing", undefined, /as text/],
    ["an empty text", "", /no "-----BEGIN PUBLIC KEY-----"/],
    ["a secret", "x".repeat(40), /no "-----BEGIN PUBLIC KEY-----"/],
    ["a private key", signing("pkcs8"), /private key.*openssl pkey -pubout/],
    ["a private key of RSA", signing("pkcs1"), /private key/],
    ["a private key of EC", signing("sec1"), /private key/],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----", /openssl x509 -pubkey/],
    [
      "something else in PEM",
      "-----BEGIN DH PARAMETERS-----\nAA==\n-----END DH PARAMETERS-----",
      /DH PARAMETERS/,
    ],
    ["two keys", pem + pem, /2 PEM blocks/],
    ["half a key", pem.slice(0, 200), /no public key/],
    ["an RSA key of 1024 bits", pemOf(weak.publicKey), /1024 bits: an RSA key needs 2048/],
    ["a curve that no algorithm has", pemOf(odd.publicKey), /secp256k1: ES256 needs P-256/],
    [
      "a key that signs nothing",
      pemOf(generateKeyPairSync("x25519").publicKey),
      /x25519, which signs no tokens/,
    ],
  ];
  for (const [what, text, message] of refused)
    test(`refuses ${what}`, () => refuses(() => JwtKeys.pem(text as string), message));

  test("names the file that cannot be read", () => {
    refuses(
      () => JwtKeys.pemFile(join(folder, "none.pem")),
      /JwtKeys\.pemFile\(".*none\.pem"\): the file cannot be read/,
    );
    refuses(() => JwtKeys.pemFile(folder), /cannot be read|more than/);
    refuses(() => JwtKeys.pemFile(""), /the path of a file/);
    refuses(() => JwtKeys.pemFile(file("large.pem", Buffer.alloc(1_048_577))), /more than 1048576 bytes/);
  });

  test("is for PSS alone where the key says so, with its hash", () => {
    const { publicKey } = generateKeyPairSync("rsa-pss", {
      modulusLength: 2048,
      hashAlgorithm: "sha384",
      mgf1HashAlgorithm: "sha384",
    });
    const keys = JwtKeys.pem(pemOf(publicKey));

    verifierOf("PS384", { keys });
    for (const algorithm of ["PS256", "RS384"] as const)
      refuses(() => verifierOf(algorithm, { keys }), /an RSA-PSS key for PS384$/);
  });
});

describe("JwtKeys.jwk and JwtKeys.jwkSet", () => {
  test("take keys of every kind", async () => {
    for (const [algorithm, jwk] of [
      ["RS256", rsa],
      ["PS512", rsa],
      ["ES256", ec],
      ["ES512", jwkOf(keyFor("ES512").publicKey)],
      ["EdDSA", ed],
      ["HS384", { kty: "oct", k: Buffer.from(keyFor("HS384").sign as Uint8Array).toString("base64url") }],
    ] as const) {
      assert.equal(await verifies(algorithm, JwtKeys.jwk(jwk)), true);
      assert.equal(
        await verifies(
          algorithm,
          JwtKeys.jwkSet({ keys: [{ ...jwk, kid: "a", use: "sig", key_ops: ["verify"] }] }),
          "a",
        ),
        true,
      );
    }
  });

  test("pass over the keys of a set that are for something else", async () => {
    const others = [
      { ...ec, use: "enc" },
      { ...ec, key_ops: ["deriveKey"] },
      { kty: "XYZ" },
      { kty: "EC", crv: "secp256k1", x: "AA", y: "AA" },
      { kty: "OKP", crv: "X25519", x: "AA" },
      { ...rsa, alg: "RSA-OAEP-256" },
      { ...ec, alg: "none" },
    ];
    const keys = JwtKeys.jwkSet({ keys: [...others, { ...ec, kid: "a" }], more: 1 });

    assert.equal(keys.description, "1 key of a JWK set");
    assert.equal(await verifies("ES256", keys), true);
    refuses(() => JwtKeys.jwkSet({ keys: others }), /no key of the set .*: key 1 .*"enc"; key 2/);
    for (const one of others) refuses(() => JwtKeys.jwk(one), /the key (has|is)/);
  });

  test("use a key for its alg alone", async () => {
    const keys = JwtKeys.jwkSet({
      keys: [
        { ...rsa, alg: "RS256", kid: "a" },
        { ...ec, kid: "b" },
      ],
    });

    assert.equal(await verifies("RS256", keys, "a"), true);
    refuses(
      () => verifierOf("RS512", { keys }),
      /RS512 needs an RSA key, and there is an RSA key for RS256; an EC key of P-256 for ES256/,
    );
  });

  const wrong: readonly (readonly [string, unknown, RegExp])[] = [
    ["is no object", "key", /not an object/],
    ["is null", null, /not an object/],
    ["has no kty", { ...ec, kty: undefined }, /no kty/],
    ["has no crv", { ...ec, crv: undefined }, /no crv/],
    ["lacks a number", { ...ec, y: undefined }, /has no y/],
    ["has a number in another base64", { ...ec, x: `${ec.x}=` }, /x that is not base64url/],
    ["has a point that is not on the curve", { ...ec, y: ec.x }, /no key: its numbers/],
    ["has a point of the wrong length", { ...ed, x: "AAAA" }, /no key: its numbers/],
    ["is private", jwkOf(keyFor("ES256").sign as KeyObject), /private key \(it has 'd'\)/],
    ["is private, of RSA", jwkOf(keyFor("RS256").sign as KeyObject), /private key \(it has 'd'\)/],
    ["has 1024 bits", jwkOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey), /1024 bits/],
    ["has the exponent 1", { ...rsa, e: "AQ" }, /exponent 1/],
    ["has an even exponent", { ...rsa, e: "BA" }, /exponent 4/],
    ["has an alg of another kind", { ...rsa, alg: "ES256" }, /says alg ES256, but is for RS256/],
    ["has an alg of another curve", { ...ec, alg: "ES384" }, /says alg ES384, but is for ES256/],
    ["has an alg that is no text", { ...ec, alg: 1 }, /alg that is no text/],
    [
      "has a use that its key_ops deny",
      { ...ec, use: "sig", key_ops: ["encrypt"] },
      /use sig, but .*no verify/,
    ],
    [
      "has key_ops that its use denies",
      { ...ec, use: "enc", key_ops: ["verify"] },
      /use "enc", but .*have verify/,
    ],
    ["has key_ops that are no list", { ...ec, key_ops: "verify" }, /key_ops that are no list/],
    ["has a key_op twice", { ...ec, key_ops: ["verify", "verify"] }, /key_ops .*list of different/],
    ["has an empty kid", { ...ec, kid: "" }, /kid/],
    ["has a kid that is no text", { ...ec, kid: 1 }, /kid/],
    ["is a short secret", octOf(31), /31 bytes/],
    ["is an empty secret", { kty: "oct", k: "" }, /has no k/],
    ["is a secret too short for its alg", octOf(32, { alg: "HS512" }), /says alg HS512, but is for HS256/],
  ];
  for (const [what, jwk, message] of wrong)
    test(`refuse a key that ${what}`, () => {
      refuses(() => JwtKeys.jwk(jwk as object), message);
      refuses(() => JwtKeys.jwkSet({ keys: [{ ...rsa, kid: "a" }, jwk] }), message);
    });

  test("refuse a set that is none, is empty, or names keys badly", () => {
    for (const set of [undefined, null, [], {}, { keys: {} }, "{}"])
      refuses(() => JwtKeys.jwkSet(set as object), /a list of keys/);
    refuses(() => JwtKeys.jwkSet({ keys: [] }), /the set is empty/);
    refuses(
      () =>
        JwtKeys.jwkSet({
          keys: [
            { ...rsa, kid: "a" },
            { ...ec, kid: "a" },
          ],
        }),
      /two keys have the kid "a"/,
    );
    refuses(() => JwtKeys.jwkSet({ keys: [{ ...rsa, kid: "a" }, ec] }), /one of several keys has no kid/);
    refuses(
      () => JwtKeys.jwkSet({ keys: [{ ...rsa, kid: "a" }, octOf(32, { kid: "b" })] }),
      /mixes secrets and public keys/,
    );
  });

  test("read a set from a file", async () => {
    const set = {
      keys: [
        { ...ec, kid: "a" },
        { ...jwkOf(otherKeyFor("ES256").publicKey), kid: "b" },
      ],
    };
    const keys = JwtKeys.jwkSetFile(file("set.json", JSON.stringify(set)));

    assert.equal(await verifies("ES256", keys, "a"), true);
    assert.equal(await verifies("ES256", keys, "b"), false);
  });

  test("name the file that holds no set", () => {
    for (const [content, message] of [
      ["", /the file is not JSON/],
      ["[]", /the file is not a JSON object/],
      ['{"keys":[],"keys":[]}', /the file has two members/],
      ["{}", /a list of keys/],
    ] as const)
      refuses(() => JwtKeys.jwkSetFile(file("bad.json", content)), message);
    refuses(() => JwtKeys.jwkSetFile(join(folder, "none.json")), /none\.json"\): the file cannot be read/);
  });
});
