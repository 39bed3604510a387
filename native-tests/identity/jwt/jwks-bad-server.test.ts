import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { IamError } from "framework/core";
import { JwtKeys } from "framework/std";

import { type Answer, askedServer, ecKey, HandClock, json, patient } from "../../support/jwks-server.js";
import { servedKeys as served } from "../../support/served-keys.js";

const one = ecKey("one");
const ONE = json({ keys: [one.jwk] });
const REFUSES: Answer = (_, response) => response.writeHead(500).end("{}");

/** Sends until the other side has enough, and counts. */
function endless(head: string, counted: { bytes: number; closed: boolean }): Answer {
  return (_, response) => {
    response.on("close", () => {
      counted.closed = true;
    });
    response.writeHead(200).write(head);
    const piece = "x".repeat(16_384);
    const more = () => {
      while (!response.destroyed) {
        counted.bytes += piece.length;
        if (response.write(piece)) continue;
        response.once("drain", more);
        return;
      }
    };
    more();
  };
}

// Short only where it is waited for: a busy machine takes its time.
const limitOf = (reason: RegExp): number => (reason.source.includes("200 ms") ? 200 : 10_000);

describe("a server of keys that misbehaves", () => {
  const failures: readonly (readonly [string, Answer, RegExp])[] = [
    ["refuses", REFUSES, /it answered 500/],
    [
      "redirects",
      (_, response) => response.writeHead(302, { location: "/elsewhere" }).end(),
      /it answered 302/,
    ],
    ["answers nothing", (_, response) => response.writeHead(204).end(), /it answered 204/],
    ["answers an empty body", (_, response) => response.end(), /is not JSON/],
    ["answers a page", (_, response) => response.end("<html>secret</html>"), /is not JSON/],
    ["answers no UTF-8", (_, response) => response.end(Buffer.from([0x22, 0xff, 0x22])), /is not UTF-8/],
    ["answers a list", json([one.jwk]), /is not a JSON object/],
    ["answers one key", json(one.jwk), /is no JWK set/],
    ["answers another kind of keys", json({ keys: { one: one.jwk } }), /is no JWK set/],
    ["answers too many keys", json({ keys: Array(101).fill({}) }), /has 101 keys/],
    ["says two things", (_, response) => response.end('{"keys":[],"keys":[]}'), /two members of one name/],
    ["answers too much", json({ keys: [], x: "x".repeat(2000) }), /larger than 1024 bytes/],
    [
      "answers too much in little",
      (_, response) =>
        response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync(`{"x":"${"x".repeat(5_000_000)}"}`)),
      /larger than 1024 bytes/,
    ],
    ["resets the connection", (request) => request.socket.resetAndDestroy(), /ECONNRESET|closed/],
    [
      "breaks off",
      (_, response) => {
        response.writeHead(200, { "content-length": 100 }).write('{"keys":');
        setTimeout(() => response.destroy(), 5);
      },
      /./,
    ],
    ["never answers", () => {}, /not done in 200 ms/],
    [
      "never ends its answer",
      (_, response) => response.writeHead(200).write('{"keys":[]'),
      /not done in 200 ms/,
    ],
    [
      "drips",
      (_, response) => {
        const timer = setInterval(() => response.write(" "), 10);
        response.on("close", () => clearInterval(timer));
      },
      /not done in 200 ms/,
    ],
  ];
  for (const [name, answer, reason] of failures) {
    test(`is asked once when it ${name}; nobody is let in or said to be wrong`, async () => {
      const { server, find } = await served(answer, { maxBytes: 1024, timeoutMs: limitOf(reason) });

      const found = await Promise.all(Array.from({ length: 50 }, () => find("one")));
      found.push(await find("one"));

      assert.equal(server.asked, 1);
      for (const error of found) {
        assert.ok(error instanceof IamError && error.kind === "VerifierUnavailable");
        assert.match(error.reason ?? "", reason);
        assert.doesNotMatch(error.reason ?? "", /secret/);
      }
    });
  }

  test("is not followed to where it redirects", async () => {
    const elsewhere = await askedServer(ONE);
    const { said } = await served((_, response) =>
      response.writeHead(307, { location: `${elsewhere.base}/jwks` }).end(),
    );

    assert.equal(await said("one"), "VerifierUnavailable");
    assert.equal(elsewhere.asked, 0);
  });

  test("can send without end: what is beyond the bound is not taken, and the connection ends", async () => {
    const counted = { bytes: 0, closed: false };
    const { said } = await served(endless('{"keys":[],"x":"', counted), { timeoutMs: 5000 });

    assert.equal(await said("one"), "VerifierUnavailable");
    for (let waited = 0; !counted.closed && waited < 2000; waited += 10) await sleep(10);
    assert.ok(counted.closed);
    assert.ok(counted.bytes < 16 * 1024 * 1024, `${counted.bytes} bytes were sent`);
  });

  test("may answer pieces of a byte each: they take no more memory than their bytes", async () => {
    const set = JSON.stringify({ keys: [one.jwk], x: "x".repeat(20_000) });
    const { said } = await served(async (_, response) => {
      response.writeHead(200);
      for (const byte of set) response.write(byte);
      response.end();
    });

    assert.equal(await said("one"), "key");
  });

  test("that cannot be reached is asked again when its pause is over", async () => {
    const clock = new HandClock();
    const keys = JwtKeys.url("http://127.0.0.1:9/jwks", { clock, reporter: () => {} });

    const found = await keys.find({ alg: "ES256", kid: "one" }, patient);

    assert.ok(found instanceof IamError && found.kind === "VerifierUnavailable");
    assert.match(found.reason ?? "", /ECONNREFUSED|bad port/);
  });

  test("with an empty set leaves no key, and every token without one", async () => {
    const { server, clock, said, keys } = await served(ONE);
    await said("one");
    server.answer = json({ keys: [] });
    clock.ms = 480_000;
    await said("new");

    assert.equal(await said("one"), "none");
    assert.equal(keys.generation, 1);
  });

  test("is reported by a reporter that throws, and nothing else happens", async () => {
    const { said } = await served(REFUSES, {
      reporter: () => {
        throw new Error("boom");
      },
    });

    assert.equal(await said("one"), "VerifierUnavailable");
  });
});
