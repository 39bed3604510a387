import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { served } from "../support/served.js";
import { get, post, statusOf, talk } from "../support/wire.js";
import { ingress } from "../support/wire-ingress.js";

describe("requests on the wire", () => {
  const server = served(ingress);

  const status = (request: string) => statusOf(server.address, request);
  const withLine = (line: string) => status(`${line}\r\nHost: a\r\n\r\n`);

  /** How a request alone is answered; what stands behind it in its connection must not run. */
  const refused = async (request: string) => {
    const { replies, end } = await talk(server.address, request);
    const { raw } = await talk(server.address, [request, get("/mark/x")]);
    assert.ok(!raw.includes("marked"), raw);
    return { told: [replies.map(({ status: code }) => code), end], body: replies[0]?.body ?? "" };
  };

  test("are answered in the order in which they came", async () => {
    const { replies, end } = await talk(
      server.address,
      get("/mark/1") + get("/") + get("/nowhere") + get("/mark/2"),
    );

    assert.deepEqual(
      replies.map(({ status: code, body }) => [code, code === 200 ? body : ""]),
      [
        [200, "marked"],
        [200, "hello"],
        [404, ""],
        [200, "marked"],
      ],
    );
    assert.equal(end, "open");
  });

  test("may arrive byte by byte", async () => {
    const { replies } = await talk(server.address, [...get("/")], { pauseMs: 1 });

    assert.equal(replies[0]?.body, "hello");
  });

  test("with a method that is not served are 501 and end the connection", async () => {
    for (const method of ["get", "BREW", "TRACE", "CONNECT", "PROPFIND", "A".repeat(30)]) {
      const { told } = await refused(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);

      assert.deepEqual(told, [[501], "closed"], method);
    }
  });

  test("whose head the engine cannot read are refused by it, and end the connection", async () => {
    assert.equal(await withLine("GET / HTTP/1.0"), 505);
    assert.equal(await withLine("GET http://a/ HTTP/1.1"), 505);
    assert.equal(await withLine("OPTIONS * HTTP/1.1"), 505);
    assert.equal(await withLine("GET  / HTTP/1.1"), 505);
    assert.equal(await status("GET / HTTP/1.1\r\n\r\n"), 400, "no Host");
    assert.equal(await status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400, "two Hosts");
    assert.equal(await status(get("/", "X@: y")), 400);
    assert.equal(await status(get("/", "X: a\0b")), 400);
    assert.equal(await status(get("/", `X: ${"a".repeat(17_000)}`)), 431);
    assert.equal(await status(get("/", ...Array.from({ length: 110 }, (_, i) => `x${i}: 1`))), 431);
  });

  test("with a Host that is none are 400 and end the connection", async () => {
    for (const host of ["", "a b", "user@evil", "a/b", "\xe9", "[::1"]) {
      const { told } = await refused(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

      assert.deepEqual(told, [[400], "closed"], host);
    }
  });

  test("with an encoded path reach the route that the decoded one reaches, and no other", async () => {
    assert.equal(await withLine("GET /%6dark/1 HTTP/1.1"), 200);
    assert.equal(await withLine("GET /mark/a%2Fb HTTP/1.1"), 200);
    for (const path of [
      "/mark%2F1",
      "/files/a%2Fb",
      "/files/a%5Cb",
      "/%00",
      "/%",
      "/%zz",
      "/%C3",
      "/\xe9",
      "/a\\b",
      "/a#b",
      "/mark/%00",
    ]) {
      assert.equal(await withLine(`GET ${path} HTTP/1.1`), 400, path);
    }
    for (const path of ["/mark/", "//mark/1", "/../mark/1", "/mark/../mark/1", "/MARK/1"])
      assert.equal(await withLine(`GET ${path} HTTP/1.1`), 404, path);
  });

  test("with a query that is malformed are 400, whoever reads it", async () => {
    for (const query of ["a=%", "a=%00", "a=\xe9", "a=%C3"])
      assert.equal(await withLine(`GET /?${query} HTTP/1.1`), 400, query);
    assert.equal(await withLine("GET /?a=%C3%A9&b=c+d HTTP/1.1"), 200);
  });

  test("with a target above 8 KiB are 414 and end the connection", async () => {
    for (const target of [`/${"a".repeat(9000)}`, `/?${"a".repeat(9000)}`]) {
      assert.deepEqual((await refused(get(target))).told, [[414], "closed"]);
    }
    assert.equal(await status(get(`/?${"a".repeat(8000)}`)), 200);
  });

  test("with two lines of what has one value are 400 and end the connection", async () => {
    const line: Readonly<Record<string, string>> = { "Content-Type": "application/json" };
    for (const name of ["Content-Type", "Origin", "Authorization"]) {
      const value = line[name] ?? "a";
      for (const [first, second] of [
        [value, "b"],
        ["b", value],
        ["", value],
      ]) {
        const lines = [`${name}: ${first}`, "X: y", `${name}: ${second}`];
        const { told, body } = await refused(post("/json", "{}", "Content-Length: 2", ...lines));

        assert.deepEqual(told, [[400], "closed"], `${lines}`);
        assert.match(body, /"HEADER_REPEATED"/);
      }
    }
  });

  test("are 415 for a coding, and 417 for an expectation, in whichever line it stands", async () => {
    const coded = (...lines: string[]) =>
      status(post("/json", "{}", "Content-Type: application/json", "Content-Length: 2", ...lines));

    assert.equal(await coded("Content-Encoding: identity"), 200);
    assert.equal(await coded("Content-Encoding: identity", "Content-Encoding: gzip"), 415);
    assert.equal(await coded("Content-Encoding:", "Content-Encoding: gzip"), 415);
    assert.equal(await coded("Expect:", "Expect: cookies"), 417);
    assert.equal(await coded("Expect: 100-continue", "Expect: cookies"), 417);
  });

  test("that ask for the connection to end, in a list or a second line, have it ended", async () => {
    for (const lines of [
      ["Connection: TE, close"],
      ["Connection: TE", "Connection: close"],
      ["Connection: Close ,x"],
    ]) {
      const { replies, end } = await talk(server.address, get("/", ...lines), { waitMs: 5000 });
      assert.deepEqual([replies[0]?.headers["connection"], end], ["close", "closed"], `${lines}`);
    }
    const kept = await talk(server.address, get("/", "Connection: keep-alive, closed"), { until: 1 });
    assert.equal(kept.end, "open");
  });

  test("that announce a trailer are refused before they run", async () => {
    const head = post("/echo", "", "Trailer: X-Sum", "Transfer-Encoding: chunked");
    const body = "5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n";
    // The engine has its own answer to a trailer that comes in one piece with the head.
    const { replies } = await talk(server.address, [head, body], { after: [0, 1] });

    assert.equal(replies[0]?.status, 501);
    assert.match(replies[0]?.body ?? "", /Trailer fields are not supported/);
  });

  test("that expect 100-continue are told to go on", async () => {
    const { raw, replies } = await talk(server.address, [
      post("/echo", "", "Content-Length: 5", "Expect: 100-continue"),
      "hello",
    ]);

    assert.match(raw, /^HTTP\/1\.1 100 Continue\r\n\r\n/);
    assert.equal(replies[0]?.body, "hello");
  });

  test("for HEAD get the length and no body, and keep the connection", async () => {
    const { replies, end } = await talk(
      server.address,
      `HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /nowhere HTTP/1.1\r\nHost: a\r\n\r\n${get("/")}`,
      { heads: [0, 1] },
    );

    assert.deepEqual(
      replies.map(({ status: code, headers, body }) => [code, Number(headers["content-length"]) > 0, body]),
      [
        [200, true, ""],
        [404, true, ""],
        [200, true, "hello"],
      ],
    );
    assert.equal(end, "open");
  });

  test("for nothing get 204 without a length, and keep the connection", async () => {
    const { replies, raw } = await talk(server.address, get("/nothing") + get("/"));

    assert.deepEqual(
      replies.map(({ status: code }) => code),
      [204, 200],
    );
    assert.doesNotMatch(raw.slice(0, raw.indexOf("\r\n\r\n")), /content-length/i);
  });

  test("get a date, no banner, and no header but those that were meant", async () => {
    const { replies } = await talk(server.address, get("/"));

    assert.deepEqual(Object.keys(replies[0]?.headers ?? {}).sort(), [
      "content-length",
      "content-type",
      "date",
    ]);
  });

  test("that say so end the connection", async () => {
    assert.equal((await talk(server.address, get("/", "Connection: close"))).end, "closed");
  });

  test("of a client that has half closed are answered where that can be done at once", async () => {
    const { replies } = await talk(server.address, get("/"), { halfClose: true });

    assert.equal(replies[0]?.body, "hello");
  });

  test("whose steps answer later are answered, one after the other", async () => {
    const { replies, end } = await talk(server.address, [get("/later"), get("/slow?ms=5"), get("/later")], {
      after: [0, 1, 2],
    });

    assert.deepEqual(
      replies.map(({ body }) => body),
      ["later", '{"ms":5}', "later"],
    );
    assert.equal(end, "open");
  });

  test("whose bytes are answered later are answered whole: they were copied", async () => {
    const { replies } = await talk(server.address, post("/echo-later", "hello", "Content-Length: 5"));

    assert.equal(replies[0]?.body, "hello");
  });

  test("whose steps throw leave the server alive", async () => {
    for (let i = 0; i < 5; i += 1) assert.equal(await status(get("/boom")), 500);
    assert.equal(await status(get("/")), 200);
  });

  test("of 8 MiB of answer come whole, also to a slow reader", async () => {
    const { replies } = await talk(server.address, get("/big"), { until: 1 });

    assert.equal(replies[0]?.body.length, 8 * 1024 * 1024);
  });

  test("with a JSON bomb are refused before they are parsed", async () => {
    const deep = "[".repeat(1_000_000);
    const { replies } = await talk(
      server.address,
      post("/json", deep, "Content-Type: application/json", `Content-Length: ${deep.length}`),
      { until: 1, lingerMs: 100 },
    );

    assert.deepEqual(
      replies.map(({ status: code }) => code),
      [400],
    );
    assert.equal(await status(get("/")), 200);
  });

  test("that are larger than the limit are 413 and end the connection, before their body is sent", async () => {
    const { replies, end } = await talk(server.address, post("/text", "", "Content-Length: 101"), {
      waitMs: 30_000,
    });

    assert.deepEqual([replies.map(({ status: code }) => code), end], [[413], "closed"]);
  });

  test("that grow larger than the limit are 413 while they are read", async () => {
    const chunk = `32\r\n${"x".repeat(50)}\r\n`;
    const sent = [post("/text", chunk, "Transfer-Encoding: chunked"), chunk, chunk];
    const { replies, end } = await talk(server.address, sent, { waitMs: 30_000 });

    assert.deepEqual(
      replies.map(({ status: code }) => code),
      [413],
    );
    assert.notEqual(end, "open");
  });
});
