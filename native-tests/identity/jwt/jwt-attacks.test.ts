import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";

import fc from "fast-check";
import type { IamError, Verification } from "framework/core";
import { type JwsAlgorithm, JwtKeys, type KeyHint } from "framework/std";

import {
  ALGORITHMS,
  encoded,
  goodClaims,
  hs256,
  keyFor,
  kindOf,
  otherKeyFor,
  signed,
  verifierOf,
} from "../../support/tokens.js";

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const HEADER = encoded({ alg: "HS256" });
const { verify } = verifierOf("HS256");

describe("a token that was altered", () => {
  test("is refused, whichever character another one stands for", async () => {
    const token = await signed("HS256");
    assert.equal(kindOf(verify(token)), "alice");

    for (let at = 0; at < token.length; at += 1)
      for (const character of `${BASE64URL}.=+/ \n\u00e9`)
        if (character !== token[at])
          assert.equal(
            kindOf(verify(token.slice(0, at) + character + token.slice(at + 1))),
            "InvalidToken",
            `${JSON.stringify(character)} at ${at}`,
          );
  });

  test("is refused, whichever character is missing, comes twice or is added", async () => {
    const token = await signed("HS256");

    for (let at = 0; at <= token.length; at += 1) {
      if (at < token.length)
        assert.equal(kindOf(verify(token.slice(0, at) + token.slice(at + 1))), "InvalidToken");
      for (const added of ["A", "=", ".", " ", "\u0000", token[at] ?? "_"])
        assert.equal(kindOf(verify(token.slice(0, at) + added + token.slice(at))), "InvalidToken");
    }
  });

  for (const algorithm of ALGORITHMS)
    test(`is refused with any bit of the bytes flipped, of ${algorithm}`, async () => {
      const token = await signed(algorithm);
      const parts = token.split(".").map((part) => Buffer.from(part, "base64url"));
      const altered = verifierOf(algorithm).verify;
      assert.equal(kindOf(altered(token)), "alice");

      fc.assert(
        fc.property(fc.nat({ max: 2 }), fc.nat(), fc.nat({ max: 7 }), (part, at, bit) => {
          const copies = parts.map((bytes) => Buffer.from(bytes));
          const bytes = copies[part] as Buffer;
          bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ (1 << bit);
          const text = copies.map((one) => one.toString("base64url")).join(".");
          assert.equal(kindOf(altered(text)), "InvalidToken");
        }),
        { numRuns: 150 },
      );
    });

  test("is refused with the signature of another payload or header", async () => {
    const one = (await signed("HS256")).split(".");
    const other = (await signed("HS256", goodClaims({ sub: "mallory" }), { typ: "JWT" })).split(".");

    for (const mixed of [
      [one[0], other[1], one[2]],
      [other[0], one[1], one[2]],
      [one[0], one[1], other[2]],
      [other[0], other[1], one[2]],
    ])
      assert.equal(kindOf(verify(mixed.join("."))), "InvalidToken");
  });
});

describe("a token that chooses how it is verified", () => {
  for (const alg of [
    "none",
    "None",
    "NONE",
    "nOnE",
    "",
    null,
    0,
    ["HS256"],
    { HS256: 1 },
    undefined,
    "hs256",
    "HS256 ",
  ])
    test(`is refused where alg is ${JSON.stringify(alg) ?? "missing"}`, () => {
      const header = encoded({ alg });
      const payload = encoded(goodClaims());

      for (const token of [
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}.${payload}.AA`,
        hs256(header, payload),
      ])
        assert.equal(kindOf(verify(token)), "InvalidToken");
    });

  test("is refused where another algorithm of the same key has signed", async () => {
    for (const [algorithm, other] of [
      ["RS256", "PS256"],
      ["PS256", "RS256"],
      ["RS256", "RS512"],
      ["PS384", "PS256"],
    ] as [JwsAlgorithm, JwsAlgorithm][]) {
      const token = await signed(other);
      assert.equal(kindOf(verifierOf(algorithm).verify(token)), "InvalidToken");
      // Under the name of the one that is configured.
      const [, payload, signature] = token.split(".");
      const renamed = `${encoded({ alg: algorithm })}.${payload}.${signature}`;
      assert.equal(kindOf(verifierOf(algorithm).verify(renamed)), "InvalidToken");
    }
  });

  for (const algorithm of ["RS256", "ES256", "EdDSA"] as const)
    test(`is refused where HS256 has signed with the public key of ${algorithm}`, () => {
      const { publicKey } = keyFor(algorithm);
      const spki = (publicKey as KeyObject).export({ type: "spki", format: "pem" }) as string;
      const der = (publicKey as KeyObject).export({ type: "spki", format: "der" });
      const jwk = (publicKey as KeyObject).export({ format: "jwk" });
      const secrets = [spki, spki.trim(), `${spki}\n`, der, JSON.stringify(jwk), String(jwk.x ?? jwk.n)];
      const { verify } = verifierOf(algorithm);

      for (const secret of [...secrets, Buffer.from(String(jwk.x ?? jwk.n), "base64url")])
        for (const header of [HEADER, encoded({ alg: algorithm })])
          assert.equal(kindOf(verify(hs256(header, encoded(goodClaims()), secret))), "InvalidToken");
    });

  test("is refused with a key of its own, and nobody is asked for one", async () => {
    let asked = 0;
    const server = createServer((_, answer) => {
      asked += 1;
      answer.end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
    const mine = otherKeyFor("ES256");
    const jwk = (mine.publicKey as KeyObject).export({ format: "jwk" });
    const der = (mine.publicKey as KeyObject).export({ type: "spki", format: "der" }).toString("base64");
    const { verify } = verifierOf("ES256");

    const headers = [
      { jwk },
      { jku: url },
      { x5u: url },
      { x5c: [der] },
      { jwk, jku: url, x5u: url, x5c: [der] },
    ];
    for (const header of headers) {
      assert.equal(kindOf(verify(await signed("ES256", goodClaims(), header, mine.sign))), "InvalidToken");
      assert.equal(kindOf(verify(await signed("ES256", goodClaims(), header))), "alice", "by the right key");
    }
    await new Promise((closed) => server.close(closed));

    assert.equal(asked, 0);
  });

  test("is refused where the header has crit or b64, whatever they say", () => {
    for (const more of [
      { crit: ["exp"] },
      { crit: [] },
      { crit: null },
      { crit: ["b64"], b64: false },
      { b64: false },
      { b64: true },
    ])
      assert.equal(
        kindOf(verify(hs256(encoded({ alg: "HS256", ...more }), encoded(goodClaims())))),
        "InvalidToken",
      );
  });

  test("is refused with a kid that is no text, is empty or longer than 256 characters", async () => {
    for (const kid of [null, 1, true, [], {}, ["k1"], "", "k".repeat(257)])
      assert.equal(
        kindOf(verify(hs256(encoded({ alg: "HS256", kid }), encoded(goodClaims())))),
        "InvalidToken",
      );
    assert.equal(kindOf(verify(await signed("HS256", goodClaims(), { kid: "k".repeat(256) }))), "alice");
  });

  test("is refused with a kid that names no key", async () => {
    const { verify } = verifierOf("HS256", { keys: keyFor("HS256").keys("k1") });
    const withKid = async (kid: string) => kindOf(verify(await signed("HS256", goodClaims(), { kid })));

    assert.equal(await withKid("k1"), "alice");
    assert.equal(kindOf(verify(await signed("HS256"))), "alice", "one key alone is for it");
    for (const kid of [
      "K1",
      "k1 ",
      "k1\u0000",
      "k2",
      "../k1",
      "/dev/null",
      "' OR 1=1 --",
      "__proto__",
      "constructor",
      "0",
    ])
      assert.equal(await withKid(kid), "InvalidToken");
  });

  test("is refused with a reason for those who watch, in which it cannot write lines", async () => {
    const { verify } = verifierOf("HS256", { keys: keyFor("HS256").keys("k1") });
    const reasonOf = async (kid: string) =>
      (verify(await signed("HS256", goodClaims(), { kid })) as IamError).reason;

    assert.equal(await reasonOf("k2\n"), 'no key for HS256 has the kid "k2\\n" (a secret of 32 bytes)');
    assert.equal((await reasonOf("k".repeat(256)))?.length, 135);
  });

  test("is refused without a kid where several keys are for its algorithm", async () => {
    const jwkOf = (key: KeyObject | undefined, kid: string) => ({ ...key?.export({ format: "jwk" }), kid });
    const keys = JwtKeys.jwkSet({
      keys: [jwkOf(keyFor("ES256").publicKey, "a"), jwkOf(otherKeyFor("ES256").publicKey, "b")],
    });
    const { verify } = verifierOf("ES256", { keys });

    assert.equal(kindOf(verify(await signed("ES256"))), "InvalidToken");
    assert.equal(kindOf(verify(await signed("ES256", goodClaims(), { kid: "a" }))), "alice");
    assert.equal(kindOf(verify(await signed("ES256", goodClaims(), { kid: "b" }))), "InvalidToken");
  });
});

describe("a token that is written otherwise", () => {
  test("is refused in every spelling but one", async () => {
    const token = await signed("HS256", `${JSON.stringify(goodClaims()).slice(0, -1)} }`);
    const [header, payload, signature] = token.split(".") as [string, string, string];
    assert.equal(kindOf(verify(token)), "alice");

    for (const other of [
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}=.${signature}`,
      `${header}.${payload}.${signature}=`,
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token}\r\n`,
      `${header} .${payload}.${signature}`,
      `${header}.\t${payload}.${signature}`,
      `${token}.`,
      `.${token}`,
      `${header}..${payload}.${signature}`,
      `Bearer ${token}`,
      `"${token}"`,
      `${token},${token}`,
      `${token} ${token}`,
      `${token}.${token}`,
      token + token,
      `${token}\u0000`,
      `\ufeff${token}`,
      token.toUpperCase(),
      encodeURIComponent(`${token} `),
      JSON.stringify({ protected: header, payload, signature }),
      JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
      "",
      ".",
      "..",
      "...",
    ])
      assert.equal(kindOf(verify(other)), "InvalidToken", JSON.stringify(other));
  });

  test("is refused though it was signed so", () => {
    const payload = encoded(goodClaims());
    const claims = JSON.stringify(goodClaims());
    // Lengths that leave bits over: the last character has four spellings, or sixteen.
    const loose = [1, 2].map((rest) => {
      const text = encoded(claims.padEnd(claims.length + ((rest - claims.length) % 3) + 3, " "));
      const last = BASE64URL.indexOf(text.at(-1) as string);
      return text.slice(0, -1) + BASE64URL[last + 1];
    });
    const standard = Buffer.from(`{"a":"\u00ff\u00ff\u00fe~~~???>>>","b":1}`).toString("base64");

    for (const other of [
      `${payload}=`,
      `${payload}==`,
      ` ${payload}`,
      `${payload}\n`,
      `${payload}?`,
      `####${payload}`,
      ...loose,
      standard,
      `${payload}\u0141`,
    ])
      assert.equal(kindOf(verify(hs256(HEADER, other))), "InvalidToken", other);
    for (const other of [`${HEADER}=`, ` ${HEADER}`, `${HEADER}####`, `${HEADER}\n`])
      assert.equal(kindOf(verify(hs256(other, payload))), "InvalidToken", other);
  });

  test("is refused where it is no text", () => {
    for (const token of [undefined, null, 1, {}, [], Buffer.from("a.b.c")])
      assert.equal(kindOf(verify(token as unknown as string)), "InvalidToken");
  });

  test("is refused above 8192 characters", async () => {
    const ofLength = async (length: number) => {
      for (let pad = Math.floor((length * 3) / 4) - 400; ; pad += 1) {
        const token = await signed("HS256", goodClaims({ pad: "x".repeat(pad) }));
        if (token.length === length) return token;
      }
    };
    assert.equal(kindOf(verify(await ofLength(8192))), "alice");
    assert.equal(kindOf(verify(await ofLength(8193))), "InvalidToken");
    assert.equal(kindOf(verify("a".repeat(10_000_000))), "InvalidToken");
  });
});

describe("what a verifier remembers of headers", () => {
  const key = keyFor("HS256");

  /** The hints that the keys were asked with: the same object where the header was remembered. */
  function recording() {
    const hints: KeyHint[] = [];
    const known = key.keys();
    const keys = {
      description: "recorded",
      find: (hint: KeyHint, verification: Verification) => {
        hints.push(hint);
        return known.find(hint, verification);
      },
    };
    return { hints, verify: verifierOf("HS256", { keys }).verify };
  }
  const named = (kid: string) => signed("HS256", goodClaims(), { kid });

  test("is those of tokens that were right", async () => {
    const { hints, verify } = recording();
    const token = await named("a");
    const forged = `${token.slice(0, -4)}AAAA`;

    for (const one of [forged, forged, token, token, forged]) verify(one);

    assert.notEqual(hints[1], hints[0]);
    assert.notEqual(hints[2], hints[1]);
    assert.equal(hints[3], hints[2]);
    assert.equal(hints[4], hints[2]);
  });

  test("is the last 16", async () => {
    const { hints, verify } = recording();
    for (let index = 0; index < 17; index += 1) verify(await named(`k${index}`));
    const before = hints.length;

    verify(await named("k1"));
    assert.ok(hints.indexOf(hints[before] as KeyHint) < before, "k1 is remembered");
    verify(await named("k0"));
    assert.equal(hints.indexOf(hints[before + 1] as KeyHint), before + 1, "k0 is forgotten");
  });
});
