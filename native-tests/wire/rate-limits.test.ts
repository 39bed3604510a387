import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ingress } from "../support/rate-limits-ingress.js";
import { type Served, served } from "../support/served.js";
import { get, talk } from "../support/wire.js";

const HOUR_S = 3600;
const PATIENT = { until: 1, waitMs: 30_000 };

describe("rate limits on the wire", () => {
  const servers = [served(ingress), served(ingress, { trustedProxies: ["127.0.0.1"] })];
  const address = (i: number) => (servers[i] as Served).address;

  const ask = async (target: string, lines: readonly string[] = [], server = 0) => {
    const { replies } = await talk(address(server), get(target, ...lines), PATIENT);
    const [reply] = replies;
    assert.ok(reply, "an answer");
    return reply;
  };
  const key = (name: string) => `x-api-key: ${name}`;
  /** How often of so many times it was admitted. */
  const admittedOf = async (count: number, target: string, lines: readonly string[] = [], server = 0) => {
    const replies = await Promise.all(Array.from({ length: count }, () => ask(target, lines, server)));
    assert.ok(replies.every(({ status }) => status === 200 || status === 429));
    return replies.filter(({ status }) => status === 200).length;
  };

  test("admit of many at once on many connections as many as they say", async () => {
    for (const target of ["/keyed", "/slow"])
      assert.equal(await admittedOf(100, target, [key("burst")]), 10, target);
  });

  test("admit of many behind each other on one connection as many as they say", async () => {
    const pipelined = get("/keyed", key("pipeline")).repeat(100);
    const { replies } = await talk(address(0), pipelined, { ...PATIENT, until: 100 });

    assert.deepEqual(
      replies.map(({ status }) => status),
      [...new Array(10).fill(200), ...new Array(90).fill(429)],
    );
  });

  test("tell each answer the policy and what is left, once each", async () => {
    const told = [];
    for (let n = 0; n < 11; n += 1) told.push(await talk(address(0), get("/keyed", key("told")), PATIENT));
    const [first, last] = [told[0], told[10]];

    assert.equal(first?.replies[0]?.headers["ratelimit-policy"], `"keyed";q=10;w=${HOUR_S}`);
    assert.equal(first?.replies[0]?.headers["ratelimit"], `"keyed";r=9;t=${HOUR_S / 10}`);
    assert.equal(first?.replies[0]?.headers["retry-after"], undefined);
    const refused = last?.replies[0];
    const after = Number(refused?.headers["retry-after"]);
    assert.ok(after > 0 && after <= HOUR_S / 10, String(after));
    assert.deepEqual(
      [refused?.status, refused?.headers["ratelimit-policy"], refused?.headers["ratelimit"]],
      [429, `"keyed";q=10;w=${HOUR_S}`, `"keyed";r=0;t=${after}`],
    );
    assert.equal(refused?.headers["content-type"], "application/problem+json");
    for (const { raw } of told) {
      assert.equal(raw.match(/\r\nratelimit-policy: /gi)?.length, 1);
      assert.equal(raw.match(/\r\nratelimit: /gi)?.length, 1);
    }
    assert.equal(last?.raw.match(/\r\nretry-after: /gi)?.length, 1);
  });

  test("leave the connection as it is", async () => {
    const request = get("/keyed", key("kept"));
    const { replies, end } = await talk(address(0), request.repeat(12) + get("/none"), {
      ...PATIENT,
      until: 13,
    });

    assert.deepEqual([replies[11]?.status, replies[12]?.status, end], [429, 404, "open"]);
  });

  test("count nobody by what a request says of its client", async () => {
    const lies = [
      "X-Forwarded-For",
      "Forwarded",
      "X-Real-IP",
      "X-Client-IP",
      "True-Client-IP",
      "CF-Connecting-IP",
      "X-Cluster-Client-IP",
      "X-Forwarded-Host",
      "X-Originating-IP",
      "X-Remote-Addr",
      "Client-IP",
      "Via",
      "X-Api-Key",
      "Authorization",
      "Cookie",
      "Origin",
      "User-Agent",
      "Connection: keep-alive\r\nX-Request-Id",
    ];
    assert.equal(await admittedOf(20, "/address"), 10);

    for (const [n, name] of lies.entries()) {
      const value = name === "Forwarded" ? `for=203.0.113.${n}` : `203.0.113.${n}`;
      assert.equal((await ask("/address", [`${name}: ${value}`])).status, 429, name);
    }
  });

  test("count an IPv6 client by its first 64 bits, as a trusted proxy names it, and each network apart", async () => {
    const from = (client: string) => [`X-Forwarded-For: ${client}`];
    for (let n = 0; n < 10; n += 1)
      assert.equal((await ask("/address", from(`2001:db8:0:1:${n}::${n}`), 1)).status, 200);

    assert.equal((await ask("/address", from("2001:db8:0:1:ffff:ffff:ffff:ffff"), 1)).status, 429);
    assert.equal((await ask("/address", from("2001:0DB8:0000:0001::1"), 1)).status, 429);
    assert.equal((await ask("/address", from("2001:db8:0:2::1"), 1)).status, 200);
  });

  test("count whom the nearest hop names, not what a client wrote before it", async () => {
    for (let n = 0; n < 10; n += 1)
      assert.equal(
        (await ask("/address", [`X-Forwarded-For: 192.0.2.${n}, 198.51.100.7`], 1)).status,
        200,
        String(n),
      );

    assert.equal((await ask("/address", ["X-Forwarded-For: 198.51.100.7"], 1)).status, 429);
    assert.equal((await ask("/address", ["X-Forwarded-For: ::ffff:198.51.100.7"], 1)).status, 429);
  });

  test("count a key that stands there twice as neither of the two", async () => {
    const twice = [key("twice"), key("other")];

    assert.equal(await admittedOf(20, "/keyed", twice), 10);
    for (const name of ["twice", "other"])
      assert.equal((await ask("/keyed", [key(name)])).headers["ratelimit"], `"keyed";r=9;t=${HOUR_S / 10}`);
  });

  test("count a client by a key of any length that a head may have", async () => {
    const long = "k".repeat(8000);

    assert.equal(await admittedOf(20, "/keyed", [key(`${long}a`)]), 10);
    assert.equal((await ask("/keyed", [key(`${long}b`)])).status, 200);
    const { replies, raw } = await talk(address(0), get("/keyed", key("k".repeat(20_000))), PATIENT);
    assert.ok(replies.length === 0 || replies[0]?.status === 431, raw.slice(0, 80));
    assert.equal((await ask("/keyed", [key("somebody else")])).status, 200);
  });

  test("count who has no key, or an empty one, by the address", async () => {
    assert.equal(await admittedOf(10, "/keyed"), 10);

    assert.equal((await ask("/keyed", ["x-api-key:"])).status, 429);
    assert.equal((await ask("/keyed", [key("127.0.0.1")])).status, 200);
  });

  test("of the conformance server are ten at once, and five a second", async () => {
    const began = performance.now();
    const admitted = await admittedOf(60, "/limited", [key("conformance")]);
    const refilled = Math.ceil((performance.now() - began) / 200);
    assert.ok(admitted >= 10 && admitted <= 10 + refilled, `${admitted} admitted, ${refilled} refilled`);

    const until = performance.now() + 30_000;
    let reply = await ask("/limited", [key("conformance")]);
    while (reply.status === 429 && performance.now() < until) {
      assert.equal(reply.headers["retry-after"], "1");
      assert.equal(reply.headers["ratelimit-policy"], '"default";q=10;w=2');
      await new Promise((resolve) => setTimeout(resolve, 100));
      reply = await ask("/limited", [key("conformance")]);
    }
    assert.deepEqual([reply.status, reply.body], [200, "within the limit"]);
  });
});
