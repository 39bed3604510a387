import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { ingress } from "../support/cors-ingress.js";
import { hostileOrigin } from "../support/hostile-origin.js";
import { served } from "../support/served.js";
import { get, post, statusOf, talk } from "../support/wire.js";

const APP = "https://app.example";

const server = served(ingress);

const preflight = (target: string, ...headers: readonly string[]): string =>
  `OPTIONS ${target} HTTP/1.1\r\nHost: a\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;

/** The lines of CORS in what came back, in the order of letters. */
const corsLines = (raw: string): readonly string[] =>
  raw
    .split("\r\n")
    .filter((line) => /^(access-control-|vary:)/i.test(line))
    .sort();

const permission = (origin: string) => [
  "access-control-allow-credentials: true",
  `access-control-allow-origin: ${origin}`,
  "vary: Origin",
];
const preflightPermission = (origin: string) => [
  "access-control-allow-credentials: true",
  "access-control-allow-headers: content-type",
  "access-control-allow-methods: GET, POST",
  `access-control-allow-origin: ${origin}`,
  "access-control-max-age: 86400",
  "vary: Origin",
];
const varying = ["vary: Origin"];

describe("a request of another origin's page", () => {
  test("is answered with each header once, whatever its answer is", async () => {
    for (const [status, request] of [
      [200, get("/", `Origin: ${APP}`)],
      [200, get("/", `ORIGIN: \t ${APP}  `)],
      [404, get("/nowhere", `Origin: ${APP}`)],
      [405, post("/", "", `Origin: ${APP}`, "Content-Length: 0")],
      [400, get("/%zz", `Origin: ${APP}`)],
      [413, post("/echo", "x".repeat(17), `Origin: ${APP}`, "Content-Length: 17")],
      [415, post("/json", "{}", `Origin: ${APP}`, "Content-Length: 2", "Content-Type: text/plain")],
      [422, post("/json", "{}", `Origin: ${APP}`, "Content-Length: 2", "Content-Type: application/json")],
    ] as const) {
      const { raw, replies } = await talk(server.address, request, { until: 1 });
      assert.equal(replies[0]?.status, status, raw);
      assert.deepEqual(corsLines(raw), permission(APP), raw);
    }
  });

  test("to HEAD is answered as one to GET", async () => {
    const { raw, replies } = await talk(
      server.address,
      `HEAD / HTTP/1.1\r\nHost: a\r\nOrigin: ${APP}\r\n\r\n`,
      {
        heads: [0],
        until: 1,
      },
    );

    assert.equal(replies[0]?.status, 200);
    assert.deepEqual(corsLines(raw), permission(APP));
  });

  test("of an origin that is not allowed is 403, and the connection stays", async () => {
    const { raw, replies, end } = await talk(
      server.address,
      get("/", "Origin: https://evil.example") + get("/", `Origin: ${APP}`),
      { until: 2 },
    );

    assert.deepEqual([replies.map(({ status }) => status), end], [[403, 200], "open"]);
    assert.equal(JSON.parse(replies[0]?.body ?? "").code, "ORIGIN_REFUSED");
    assert.deepEqual(corsLines(raw), [...permission(APP), ...varying]);
  });

  test("of the server's own, in whatever case it says Host, passes without a permission", async () => {
    for (const [host, origin] of [
      ["api.example", "http://api.example"],
      ["API.example:80", "http://api.example"],
      ["[::1]:8080", "http://[::1]:8080"],
    ]) {
      const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n\r\n`;
      const { raw, replies } = await talk(server.address, request, { until: 1 });
      assert.equal(replies[0]?.status, 200, raw);
      assert.deepEqual(corsLines(raw), varying);
    }
    for (const origin of ["https://api.example", "http://api.example:8080", "http://api.example."]) {
      const request = `GET / HTTP/1.1\r\nHost: api.example\r\nOrigin: ${origin}\r\n\r\n`;
      const { replies } = await talk(server.address, request, { until: 1 });
      assert.equal(replies[0]?.status, 403, origin);
    }
  });

  test("that says Origin twice is 400, and ends the connection", async () => {
    for (const origins of [
      [APP, "https://evil.example"],
      ["https://evil.example", APP],
      [APP, APP],
    ]) {
      const lines = origins.map((origin) => `Origin: ${origin}`);
      for (const request of [
        get("/", ...lines),
        preflight("/", ...lines, "Access-Control-Request-Method: GET"),
      ]) {
        const { raw, replies, end } = await talk(server.address, request);
        assert.deepEqual([replies.map(({ status }) => status), end], [[400], "closed"]);
        assert.equal(JSON.parse(replies[0]?.body ?? "").code, "HEADER_REPEATED");
        assert.doesNotMatch(raw, /evil/);
      }
    }
  });

  test("gets none of it back that is not an allowed origin", async () => {
    for (const origin of [
      `${APP}/`,
      `${APP}, https://evil.example`,
      `${APP} https://evil.example`,
      `${APP}\x00`,
      `${APP}\x01`,
      `${APP}\xe9x`,
      `${APP}\tx`,
      `${APP}\r\n x-injected: 1`,
      `${APP}\nx-injected: 1`,
      "https://friend.example\x85x-injected: 1",
      "https://friend.example\x7f",
      "https://friend@evil.example",
      "HTTPS://friend.example",
      "https://friend.example:443",
      `https://${"friend".repeat(100)}.example`,
      "https://x.staging.example.",
      "https://evil.example/.staging.example",
      "null",
      "*",
      "undefined",
    ]) {
      const { raw } = await talk(server.address, get("/", `Origin: ${origin}`), { until: 1 });
      assert.match(raw, /^HTTP\/1\.1 [45]\d\d /, JSON.stringify(origin));
      assert.doesNotMatch(raw, /access-control|x-injected/i, JSON.stringify(origin));
    }
    assert.equal(await statusOf(server.address, get("/")), 200);
  });

  // The engine's doing, which nothing behind it can see: docs/errors.md says so.
  test("is read without the bytes above ASCII at its ends, and told of the origin that is left", async () => {
    for (const origin of [`${APP}\xff`, `\x80\xc3${APP} \xa9`]) {
      const { raw } = await talk(server.address, get("/", `Origin: ${origin}`), { until: 1 });
      assert.deepEqual(corsLines(raw), permission(APP), JSON.stringify(origin));
    }
  });

  test("of an absurd length is refused by the guard, or by the engine where no head is that long", async () => {
    const long = (length: number) => get("/", `Origin: https://${"a".repeat(length)}.staging.example`);

    for (const [length, status] of [
      [2000, 403],
      [8000, 403],
      [100_000, 431],
    ] as const) {
      const { raw, replies } = await talk(server.address, long(length), { until: 1 });
      assert.equal(replies[0]?.status, status);
      assert.doesNotMatch(raw, /access-control/);
      assert.ok(raw.length < 1000, "none of it comes back");
    }
    assert.equal(await statusOf(server.address, get("/")), 200);
  });

  test("is answered without what it made up, whatever it made up", async () => {
    await fc.assert(
      fc.asyncProperty(hostileOrigin("https://friend.staging.example"), async (origin) => {
        const { raw } = await talk(server.address, get("/", `Origin: ${origin}`), { until: 1 });
        const [told] = corsLines(raw).filter((line) => line.startsWith("access-control-allow-origin"));
        if (told === undefined) return;
        assert.match(told, /^access-control-allow-origin: [a-z0-9+.-]+:\/\/[a-z0-9._[\]:-]+$/);
        assert.deepEqual(corsLines(raw).length, 3);
      }),
      { numRuns: 100 },
    );
    assert.equal(await statusOf(server.address, get("/")), 200);
  });
});

describe("a preflight", () => {
  test("is 204 without a body, and the next request on its connection is served", async () => {
    const asked = preflight(
      "/echo",
      `Origin: ${APP}`,
      "Access-Control-Request-Method: POST",
      "Access-Control-Request-Headers: content-type",
    );
    const { raw, replies, end } = await talk(server.address, asked + asked + get("/"), { until: 3 });

    assert.deepEqual([replies.map(({ status }) => status), end], [[204, 204, 200], "open"]);
    const told = preflightPermission(APP);
    assert.deepEqual(corsLines(raw), [...told, ...told, ...varying].sort());
  });

  test("that has a body leaves nothing of it on the connection", async () => {
    const { replies } = await talk(
      server.address,
      preflight("/echo", `Origin: ${APP}`, "Access-Control-Request-Method: POST", "Content-Length: 20") +
        "GET /echo HTTP/1.1\r\n" +
        get("/"),
      { until: 2 },
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [204, 200],
    );
  });

  test("that asks for an absurd list of headers is told no more than any other", async () => {
    const asking = (length: number) =>
      preflight(
        "/",
        `Origin: ${APP}`,
        "Access-Control-Request-Method: GET",
        `Access-Control-Request-Headers: ${"x-a,".repeat(length / 4)}`,
      );
    const { raw, replies } = await talk(server.address, asking(8000), { until: 1 });
    const longer = await talk(server.address, asking(100_000), { until: 1 });

    assert.equal(replies[0]?.status, 204);
    assert.deepEqual(corsLines(raw), preflightPermission(APP));
    assert.ok(raw.length < 500, `${raw.length}`);
    assert.equal(longer.replies[0]?.status, 431);
  });

  test("of another origin is told nothing, and one that asks twice no more than one that asks once", async () => {
    for (const [request, expected] of [
      [preflight("/", "Origin: https://evil.example", "Access-Control-Request-Method: GET"), varying],
      [preflight("/", "Origin: null", "Access-Control-Request-Method: GET"), varying],
      [
        preflight(
          "/",
          `Origin: ${APP}`,
          "Access-Control-Request-Method: DELETE",
          "Access-Control-Request-Method: GET",
          "Access-Control-Request-Headers: x-secret",
        ),
        preflightPermission(APP),
      ],
    ] as const) {
      const { raw } = await talk(server.address, request, { until: 1 });
      assert.match(raw, /^HTTP\/1\.1 204 /);
      assert.deepEqual(corsLines(raw), expected, raw);
    }
  });
});
