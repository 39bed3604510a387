import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

import { IamError, type Report } from "framework/core";
import { cached, JwtKeys, JwtVerifier, type RemoteKeysOptions } from "framework/std";

import { type Answer, askedServer, ecKey, HandClock, json, patient } from "../support/jwks-server.js";

const one = ecKey("one");
const two = ecKey("two");
const ONE = json({ keys: [one.jwk] });
const BOTH = json({ keys: [one.jwk, two.jwk] });
const TWO = json({ keys: [two.jwk] });
const REFUSES: Answer = (_, response) => response.writeHead(500).end("{}");

/** Keys from a server that a test tells what to do, on a clock that it moves by hand. */
async function served(answer: Answer, options: RemoteKeysOptions = {}) {
  const server = await askedServer(answer);
  const clock = new HandClock();
  const reports: Report[] = [];
  const reporter = (report: Report) => void reports.push(report);
  const keys = JwtKeys.url(`${server.base}/jwks?tenant=secret`, { clock, reporter, ...options });
  const find = (kid: string | undefined) => keys.find({ alg: "ES256", kid }, patient);
  const said = async (kid: string | undefined) => wordOf(await find(kid));
  /** Until what goes on in the background has been answered: who asks for an unknown key waits for it. */
  const loaded = async (asked: number) => {
    while (server.asked < asked) await sleep(1);
    await said("unknown");
  };
  /** Time in which somebody would have asked. */
  const quiet = () => sleep(20);
  return { server, clock, reports, keys, find, said, loaded, quiet };
}

const wordOf = (found: KeyObject | IamError | undefined) => {
  if (found instanceof KeyObject) return "key";
  return found === undefined ? "none" : found.kind;
};

describe("keys of a URL", () => {
  test("are loaded at first use, once for all who wait", async () => {
    const { server, said, keys } = await served((request, response) => {
      setTimeout(() => ONE(request, response), 20);
    });
    assert.equal(server.asked, 0);

    const words = await Promise.all(
      Array.from({ length: 300 }, (_, at) => said(at % 3 === 0 ? "two" : "one")),
    );

    assert.equal(words.filter((word) => word === "key").length, 200);
    assert.equal(words.filter((word) => word === "none").length, 100);
    assert.equal(server.asked, 1);
    assert.equal(keys.generation, 0);
  });

  test("are found at once when they are known, without a kid too where one fits", async () => {
    const { server, find, said } = await served(ONE);
    await said("one");

    assert.ok(find("one") instanceof KeyObject);
    assert.ok(find(undefined) instanceof KeyObject);
    assert.equal(server.asked, 1);
  });

  test("are asked for once more in a cool-down, whatever kids are made up", async () => {
    const { server, clock, said } = await served(ONE);
    const forge = () => Promise.all(Array.from({ length: 200 }, (_, at) => said(`forged ${at}`)));
    await said("one");

    clock.ms = 29_999;
    assert.deepEqual([...new Set(await forge())], ["none"]);
    assert.equal(server.asked, 1);
    clock.ms = 30_000;
    assert.deepEqual([...new Set(await forge())], ["none"]);
    assert.deepEqual([...new Set(await forge())], ["none"]);
    assert.equal(server.asked, 2);
    clock.ms = 59_999;
    await forge();
    assert.equal(server.asked, 2);
  });

  test("that are new are there for the first token that names them", async () => {
    const { server, clock, said, keys } = await served(ONE);
    await said("one");
    server.answer = BOTH;
    clock.ms = 30_000;

    assert.deepEqual(await Promise.all([said("two"), said("two"), said("one")]), ["key", "key", "key"]);
    assert.equal(server.asked, 2);
    assert.equal(keys.generation, 0, "a key more makes nothing wrong that was right");
  });

  test("that were taken out count no more after the next load, and the generation changes", async () => {
    const { server, clock, said, keys } = await served(BOTH);
    await said("one");
    server.answer = TWO;
    clock.ms = 30_000;
    const before = keys.generation;

    assert.equal(await said("three"), "none");
    assert.equal(await said("one"), "none");
    assert.equal(await said("two"), "key");
    assert.notEqual(keys.generation, before);
  });

  test("that are another under the same kid change the generation", async () => {
    const { server, clock, said, keys } = await served(ONE);
    await said("one");
    server.answer = json({ keys: [ecKey("one").jwk] });
    clock.ms = 30_000;
    await said("other");

    assert.equal(keys.generation, 1);
    assert.equal(await said("one"), "key");
  });

  test("are loaded in the background when most of their time is over, and nobody waits", async () => {
    const { server, clock, find, said, loaded, quiet } = await served(ONE);
    await said("one");

    clock.ms = 479_999;
    assert.ok(find("one") instanceof KeyObject);
    await quiet();
    assert.equal(server.asked, 1);
    clock.ms = 480_000;
    server.answer = TWO;
    assert.ok(find("one") instanceof KeyObject);
    assert.ok(find("one") instanceof KeyObject);
    await loaded(2);
    assert.equal(server.asked, 2);
    assert.equal(await said("one"), "none");
    assert.ok(find("two") instanceof KeyObject);
  });

  test("are loaded by who asks for the generation alone, as what remembers tokens does", async () => {
    const { server, clock, said, keys, loaded } = await served(ONE);
    await said("one");
    server.answer = TWO;

    clock.ms = 480_000;
    assert.equal(keys.generation, 0);
    await loaded(2);
    assert.equal(keys.generation, 1);
  });

  test("are not loaded by who has found none yet, and so not when a verifier is made", async () => {
    const { server, keys, quiet } = await served(ONE);

    cached(new JwtVerifier({ keys, algorithm: "ES256", issuer: "i", audience: "a" }));
    assert.equal(keys.generation, 0);
    await quiet();
    assert.equal(server.asked, 0);
  });

  test("whose time went by without traffic are waited for, and remembered tokens are asked again", async () => {
    const { server, clock, said, keys } = await served(ONE);
    await said("one");
    server.answer = TWO;
    clock.ms = 600_000;

    assert.equal(keys.generation, 1, "before the answer is there");
    assert.equal(await said("one"), "none");
    assert.equal(server.asked, 2);
  });

  test("go on while the server fails, for as long as said, and then nobody knows", async () => {
    const { server, clock, said, keys, reports } = await served(ONE);
    await said("one");
    server.answer = REFUSES;

    for (const ms of [600_000, 1_200_000, 3_000_000, 4_199_999]) {
      clock.ms = ms;
      assert.equal(await said("one"), "key", `after ${ms}`);
      assert.equal(await said("new"), "VerifierUnavailable");
    }
    const before = keys.generation;
    clock.ms = 4_200_000;
    assert.equal(await said("one"), "VerifierUnavailable");
    assert.ok(keys.generation > before, "what was verified counts no more");
    assert.deepEqual(
      reports.map(({ code }) => code),
      ["KEYS_UNAVAILABLE"],
    );
    assert.match(reports[0]?.message ?? "", /^keys of http:\S+\/jwks could not be loaded: it answered 500$/);
    server.answer = ONE;
    clock.ms = 4_300_000;
    assert.equal(await said("one"), "key");
  });

  test("are not asked for by each request while the server fails, and sooner than in a cool-down", async () => {
    const { server, clock, said } = await served(REFUSES);
    const moments: number[] = [];
    for (clock.ms = 0; clock.ms <= 100_000; clock.ms += 250) {
      const before = server.asked;
      assert.equal(await said("one"), "VerifierUnavailable");
      if (server.asked > before) moments.push(clock.ms);
    }

    assert.deepEqual(moments, [0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000]);
    server.answer = ONE;
    clock.ms = 121_000;
    assert.equal(await said("one"), "key");
  });

  test("are waited for by others when one of those who wait gives up", async () => {
    const { server, said, keys } = await served((request, response) => {
      setTimeout(() => ONE(request, response), 50);
    });
    const first = new AbortController();
    const found = keys.find({ alg: "ES256", kid: "one" }, { signal: first.signal });
    const others = [said("one"), said("one")];
    first.abort();
    const late = keys.find({ alg: "ES256", kid: "one" }, { signal: first.signal });

    assert.equal(wordOf(await found), "VerifierUnavailable");
    assert.equal(wordOf(await late), "VerifierUnavailable");
    assert.deepEqual(await Promise.all(others), ["key", "key"]);
    assert.equal(server.asked, 1);
  });

  test("keep no listener at the signal of who has waited", async () => {
    const { keys } = await served(ONE);
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (name === "addEventListener") listeners += 1;
          if (name === "removeEventListener") listeners -= 1;
          return value.apply(target, args);
        };
      },
    });
    await keys.find({ alg: "ES256", kid: "one" }, { signal: counted });

    assert.equal(listeners, 0);
  });

  test("are good for as long as the server says, within bounds", async () => {
    for (const [headers, goodMs] of [
      [{ "cache-control": "public, max-age=100" }, 100_000],
      [{ "cache-control": "max-age=100", age: "40" }, 60_000],
      [{ "cache-control": "max-age=0" }, 30_000],
      [{ "cache-control": "no-store" }, 30_000],
      [{ "cache-control": "max-age=86400" }, 600_000],
      [{ "cache-control": "s-maxage=60, max-age=x" }, 600_000],
    ] as const) {
      const { server, clock, said, loaded, quiet } = await served(json({ keys: [one.jwk] }, headers));
      await said("one");

      clock.ms = goodMs * 0.8 - 1;
      await said("one");
      await quiet();
      assert.equal(server.asked, 1, JSON.stringify(headers));
      clock.ms = goodMs * 0.8;
      await said("one");
      await loaded(2);
      assert.equal(server.asked, 2, JSON.stringify(headers));
    }
  });
});

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

describe("JwtKeys.url", () => {
  const refused = (url: any, options: any = {}) => {
    let message = "";
    assert.throws(
      () => JwtKeys.url(url, options),
      (error: any) => {
        message = error.message;
        return error.code === "CONFIG_INVALID";
      },
    );
    return message;
  };

  test("takes https, and http to this machine alone", () => {
    for (const url of ["http://issuer.example/jwks", "http://10.0.0.1/jwks", "ftp://localhost/jwks"])
      assert.match(refused(url), /use https/);
    for (const url of [
      "http://localhost:1/",
      "http://127.0.0.2/",
      "http://[::1]:80/",
      "https://issuer.example/",
    ])
      JwtKeys.url(url);
  });

  test("takes no URL with a password, a fragment or no form, and quotes none", () => {
    assert.doesNotMatch(refused("https://user:hunter2@issuer.example/jwks"), /hunter2/);
    assert.doesNotMatch(refused("hunter2"), /hunter2/);
    assert.match(refused("https://issuer.example/jwks#x"), /fragment/);
    refused(undefined);
  });

  test("takes no option that it does not know or that is out of range", () => {
    assert.match(refused("https://issuer.example/", { maxAge: 1 }), /'maxAge' is no option/);
    for (const name of ["maxAgeMs", "coolDownMs", "timeoutMs", "maxBytes"])
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "60000"])
        assert.match(refused("https://issuer.example/", { [name]: value }), new RegExp(name));
    assert.match(refused("https://issuer.example/", { staleMs: -1 }), /staleMs/);
  });

  test("refuses algorithms that need a secret", () => {
    const keys = JwtKeys.url("https://issuer.example/jwks");

    assert.throws(() => keys.requireFor?.(["ES256", "HS256"]), /HS256 needs/);
    keys.requireFor?.(["RS256", "EdDSA"]);
  });

  test("is drawn without the query of its URL", async () => {
    const { keys, server } = await served(ONE);

    assert.equal(keys.description, `keys of ${server.base}/jwks`);
  });
});
