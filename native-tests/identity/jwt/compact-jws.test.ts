import assert from "node:assert/strict";
import { constants, createHash, createHmac, type KeyObject, privateEncrypt, sign } from "node:crypto";
import { describe, test } from "node:test";

import { CompactJws } from "#identity/jwt/compact-jws.js";
import type { JwsAlgorithm } from "#identity/jwt/jws-algorithm.js";

import { encoded, keyFor } from "../../support/tokens.js";

/** Whether a token of any payload is verified: nothing is asked of claims here. */
function accepts(algorithm: JwsAlgorithm) {
  const jws = new CompactJws(keyFor(algorithm).keys(), [algorithm], () => undefined);
  const verification = { signal: new AbortController().signal };
  return (token: string) => Buffer.isBuffer(jws.verify(token, verification));
}

const inputOf = (algorithm: JwsAlgorithm, payload = "any bytes") =>
  `${encoded({ alg: algorithm })}.${encoded(payload)}`;

const withSignature = (input: string, signature: Uint8Array) =>
  `${input}.${Buffer.from(signature).toString("base64url")}`;

const bytesOf = (number: bigint, length: number) =>
  Buffer.from(number.toString(16).padStart(length * 2, "0"), "hex");
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);

describe("a signature of HMAC", () => {
  test("counts with all of its bytes, and no others", () => {
    const verifies = accepts("HS256");
    const input = inputOf("HS256");
    const signature = createHmac("sha256", keyFor("HS256").sign as Uint8Array)
      .update(input)
      .digest();

    assert.equal(verifies(withSignature(input, signature)), true);
    for (const length of [1, 16, 20, 31])
      assert.ok(!verifies(withSignature(input, signature.subarray(0, length))), `${length} bytes`);
    assert.equal(verifies(withSignature(input, Buffer.concat([signature, Buffer.alloc(1)]))), false);
    assert.equal(verifies(withSignature(input, Buffer.concat([signature, signature]))), false);
    assert.equal(verifies(withSignature(input, Buffer.alloc(32))), false);
  });

  test("counts for a payload that is no JSON, and not for an empty one", () => {
    const key = keyFor("HS256").sign as Uint8Array;
    for (const [payload, expected] of [
      ["\u0000", true],
      ["", false],
    ] as const) {
      const input = inputOf("HS256", payload);
      const signature = createHmac("sha256", key).update(input).digest();

      assert.equal(accepts("HS256")(withSignature(input, signature)), expected);
    }
  });
});

// The orders of the curves' groups: r and s are from 1 to one less (FIPS 186-5, section 6.4.2).
const ORDERS = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES384: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ES512: BigInt(`0x1${"f".repeat(65)}a51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409`),
} as const;

for (const algorithm of ["ES256", "ES384", "ES512"] as const)
  describe(`a signature of ${algorithm}`, () => {
    const verifies = accepts(algorithm);
    const input = inputOf(algorithm);
    const hash = `sha${algorithm.slice(2)}`;
    const key = keyFor(algorithm).sign as KeyObject;
    const signature = sign(hash, Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });
    const half = signature.length / 2;
    const r = signature.subarray(0, half);
    const s = signature.subarray(half);
    const order = ORDERS[algorithm];

    test("is two numbers of a fixed length, and never DER", () => {
      assert.equal(verifies(withSignature(input, signature)), true);
      for (let tries = 0; tries < 20; tries += 1)
        assert.ok(!verifies(withSignature(input, sign(hash, Buffer.from(input), key))), "DER");
      const zero = Buffer.alloc(1);
      for (const other of [
        Buffer.concat([zero, signature]),
        Buffer.concat([signature, zero]),
        Buffer.concat([zero, r, zero, s]),
        Buffer.concat([Buffer.alloc(half), r, Buffer.alloc(half), s]),
        signature.subarray(1),
        signature.subarray(0, -1),
        r,
      ])
        assert.equal(verifies(withSignature(input, other)), false);
    });

    test("has no number that is zero, or the order and above", () => {
      const one = bytesOf(1n, half);
      const edges = [0n, 1n, order - 1n, order, order + 1n].map((number) => bytesOf(number, half));
      for (const first of [r, ...edges])
        for (const second of [s, ...edges])
          if (first !== r || second !== s)
            assert.equal(verifies(withSignature(input, Buffer.concat([first, second]))), false);
      for (const [first, second] of [
        [numberOf(r) + order, numberOf(s)],
        [numberOf(r), numberOf(s) + order],
      ] as const) {
        const bytes = [first, second].map((number) => bytesOf(number, half));
        if (bytes.every(({ length }) => length === half))
          assert.equal(verifies(withSignature(input, Buffer.concat(bytes))), false);
      }
      assert.equal(verifies(withSignature(input, Buffer.concat([one, one]))), false);
    });

    // RFC 7518 asks for no low s: whoever remembers tokens must not count on one text for each.
    test("counts with the negative of its second number too", () => {
      const other = Buffer.concat([r, bytesOf(order - numberOf(s), half)]);

      assert.equal(verifies(withSignature(input, other)), true);
    });
  });

describe("a signature of RSA", () => {
  const key = keyFor("RS256").sign as KeyObject;
  const modulus = numberOf(
    Buffer.from(String((keyFor("RS256").publicKey as KeyObject).export({ format: "jwk" }).n), "base64url"),
  );
  const input = inputOf("RS256");
  const verifies = accepts("RS256");
  const digest = createHash("sha256").update(input).digest();
  // DigestInfo of SHA-256 (RFC 8017, section 9.2, note 1), taken apart.
  const prefix = Buffer.from("3031300d060960864801650304020105000420", "hex");

  /** What the private key makes of a block, whatever stands in it. */
  const raw = (block: Uint8Array) => privateEncrypt({ key, padding: constants.RSA_NO_PADDING }, block);
  const block = (type: number, fill: number, tail: Uint8Array, rest: Uint8Array = Buffer.alloc(0)) => {
    const length = 256 - 3 - tail.length - rest.length;
    return Buffer.concat([Buffer.from([0, type]), Buffer.alloc(length, fill), Buffer.from([0]), tail, rest]);
  };
  const good = Buffer.concat([prefix, digest]);

  test("is the padding of PKCS #1 1.5 to the letter", () => {
    assert.equal(verifies(withSignature(input, raw(block(1, 0xff, good)))), true);
    const oneFilled = block(1, 0xff, good);
    oneFilled[9] = 0xfe;
    const noParameters = Buffer.from("302f300b0609608648016503040201", "hex");
    for (const [what, other] of [
      ["the type of encryption", block(2, 0xff, good)],
      ["no type", block(0, 0xff, good)],
      ["zeros to fill", block(1, 0, good)],
      ["another byte among those that fill", oneFilled],
      ["anything behind the hash", block(1, 0xff, good, Buffer.alloc(100))],
      ["anything behind the hash, with 8 bytes of padding", block(1, 0xff, good, Buffer.alloc(194, 7))],
      ["no parameters", block(1, 0xff, Buffer.concat([noParameters, Buffer.from("0420", "hex"), digest]))],
      ["no DigestInfo", block(1, 0xff, digest)],
      [
        "a long form of a length",
        block(1, 0xff, Buffer.concat([Buffer.from("308131", "hex"), good.subarray(2)])),
      ],
      [
        "a length of its own",
        block(1, 0xff, Buffer.concat([Buffer.from("3080", "hex"), good.subarray(2), Buffer.alloc(2)])),
      ],
      [
        "the name of SHA-1",
        block(1, 0xff, Buffer.concat([Buffer.from("302d300906052b0e03021a05000420", "hex"), digest])),
      ],
      ["the name of SHA-384", block(1, 0xff, Buffer.from(good).fill(2, 14, 15))],
      [
        "half of the hash",
        block(
          1,
          0xff,
          Buffer.concat([
            Buffer.from("3021300d060960864801650304020105000410", "hex"),
            digest.subarray(0, 16),
          ]),
        ),
      ],
      ["the hash of something else", block(1, 0xff, Buffer.concat([prefix, createHash("sha256").digest()]))],
    ] as const)
      assert.ok(!verifies(withSignature(input, raw(other))), what);
  });

  test("is as long as the modulus, and below it", () => {
    const signature = raw(block(1, 0xff, good));

    for (const other of [
      Buffer.concat([Buffer.alloc(1), signature]),
      Buffer.concat([signature, Buffer.alloc(1)]),
      signature.subarray(1),
      signature.subarray(0, -1),
      Buffer.alloc(256),
      bytesOf(1n, 256),
      bytesOf(modulus - 1n, 256),
      bytesOf(modulus, 256),
      bytesOf(numberOf(signature) + modulus, 256),
    ])
      assert.equal(verifies(withSignature(input, other)), false);
  });

  test("has a salt as long as the hash, of PSS", () => {
    const text = inputOf("PS256");
    const salted = (saltLength: number, padding = constants.RSA_PKCS1_PSS_PADDING) =>
      withSignature(text, sign("sha256", Buffer.from(text), { key, padding, saltLength }));
    const verifiesPss = accepts("PS256");

    assert.equal(verifiesPss(salted(32)), true);
    for (const length of [0, 20, 31, 33, 64, 222]) assert.ok(!verifiesPss(salted(length)), `${length} bytes`);
    assert.equal(verifiesPss(salted(32, constants.RSA_PKCS1_PADDING)), false);
  });
});

describe("a signature of EdDSA", () => {
  const key = keyFor("EdDSA").sign as KeyObject;
  const verifies = accepts("EdDSA");
  const input = inputOf("EdDSA");
  const signature = sign(null, Buffer.from(input), key);
  // RFC 8032, section 5.1.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;

  test("has a second number below the order, so that there is one of each", () => {
    const s = numberOf(Buffer.from(signature.subarray(32)).reverse());
    const more = Buffer.from(bytesOf(s + order, 32)).reverse();

    assert.equal(verifies(withSignature(input, signature)), true);
    assert.equal(verifies(withSignature(input, Buffer.concat([signature.subarray(0, 32), more]))), false);
  });

  test("has 64 bytes, and is nothing trivial", () => {
    const zeros = Buffer.alloc(64);
    const neutral = Buffer.from(zeros);
    neutral[0] = 1;

    for (const other of [
      zeros,
      neutral,
      signature.subarray(0, 63),
      signature.subarray(0, 32),
      Buffer.concat([signature, Buffer.alloc(1)]),
      Buffer.concat([signature, signature]),
      Buffer.concat([signature.subarray(32), signature.subarray(0, 32)]),
    ])
      assert.equal(verifies(withSignature(input, other)), false);
  });
});
