import assert from "node:assert/strict";
import { KeyObject } from "node:crypto";
import { describe, test } from "node:test";
import { cached, JwtKeys, JwtVerifier } from "framework/std";

import { type Answer, ecKey, json } from "../../support/jwks-server.js";
import { servedKeys as served, wordOf } from "../../support/served-keys.js";

const one = ecKey("one");
const two = ecKey("two");
const ONE = json({ keys: [one.jwk] });
const BOTH = json({ keys: [one.jwk, two.jwk] });
const TWO = json({ keys: [two.jwk] });
const REFUSES: Answer = (_, response) => response.writeHead(500).end("{}");

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
    assert.match(refused("https://issuer.example/", { maxAge: 1 }), /'maxAge' .*; there are /);
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
