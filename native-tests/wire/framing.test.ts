// Request smuggling: whatever the framing of a request, it gets one answer or none,
// and nothing that stands behind it in the same connection is run as a request.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { served } from "../support/served.js";
import { type Conversation, get, post, talk } from "../support/wire.js";
import { ingress } from "../support/wire-ingress.js";

const statusesOf = ({ replies }: Conversation): readonly number[] => replies.map(({ status }) => status);

describe("framing", () => {
  const server = served(ingress);

  const ranBehind = async (): Promise<readonly string[]> => {
    const { replies } = await talk(server.address, get("/facts"), { until: 1 });
    return (JSON.parse(replies[0]?.body ?? "{}") as { ran: string[] }).ran;
  };

  const refused: Readonly<Record<string, readonly [string, readonly number[]]>> = {
    "two lengths that differ": [post("/echo", "hello", "Content-Length: 5", "Content-Length: 3"), [400]],
    "two lengths that agree": [post("/echo", "hello", "Content-Length: 5", "Content-Length: 5"), [400]],
    "a list of lengths": [post("/echo", "hello", "Content-Length: 5, 5"), [400]],
    "a signed length": [post("/echo", "hello", "Content-Length: +5"), [400]],
    "a negative length": [post("/echo", "hello", "Content-Length: -5"), [400]],
    "a hexadecimal length": [post("/echo", "hello", "Content-Length: 0x5"), [400]],
    "an enormous length": [post("/echo", "hello", `Content-Length: ${"9".repeat(30)}`), [400]],
    "length and coding": [
      post("/echo", "0\r\n\r\n", "Content-Length: 5", "Transfer-Encoding: chunked"),
      [400],
    ],
    "coding and length": [
      post("/echo", "0\r\n\r\n", "Transfer-Encoding: chunked", "Content-Length: 5"),
      [400],
    ],
    "two codings": [
      post("/echo", "0\r\n\r\n", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
      [400],
    ],
    identity: [post("/echo", "hello", "Transfer-Encoding: identity"), [400]],
    "chunked twice": [post("/echo", "0\r\n\r\n", "Transfer-Encoding: chunked, chunked"), [400]],
    "an unknown coding": [post("/echo", "0\r\n\r\n", "Transfer-Encoding: cow"), [501]],
    "gzip and chunked": [post("/echo", "0\r\n\r\n", "Transfer-Encoding: gzip, chunked"), [501]],
    "a tab before the coding's end": [post("/echo", "0\r\n\r\n", "Transfer-Encoding: chunked\tx"), [400]],
    "a space before the colon": [post("/echo", "0\r\n\r\n", "Transfer-Encoding : chunked"), [400]],
    "a folded header": [post("/echo", "hello", "X: a", " Content-Length: 5"), [400]],
    "an empty length": [post("/echo", "", "Content-Length:"), [400]],
    "an empty length, of a GET": ["GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", [400]],
    "an empty length before another, of a GET": [
      "GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\nContent-Length: 5\r\n\r\nhello",
      [400],
    ],
    "an empty coding before another, of a GET": [
      "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      [400],
    ],
    "an empty length before another, of a DELETE": [
      `DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\nContent-Length: 5\r\n\r\nhello`,
      [400],
    ],
    "an empty coding before another, of OPTIONS": [
      "OPTIONS / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      [400],
    ],
    "an unknown expectation": [post("/echo", "hello", "Content-Length: 5", "Expect: cookies"), [417]],
  };

  /** Again, and more slowly, where nothing came back: a busy machine may read both as one segment. */
  async function inTwoSegments(request: string): Promise<Conversation> {
    const pieces = [request, get("/mark/later-segment")];
    const told = await talk(server.address, pieces);
    return told.replies.length > 0 ? told : talk(server.address, pieces, { pauseMs: 1000 });
  }

  for (const [name, [request, statuses]] of Object.entries(refused)) {
    test(`${name} is refused, and nothing behind it runs`, async () => {
      const together = await talk(server.address, request + get("/mark/same-segment"));
      const apart = await inTwoSegments(request);

      // With something behind it in its segment a refused request may be dropped unanswered.
      if (together.replies.length > 0) assert.deepEqual(statusesOf(together), statuses, together.raw);
      assert.deepEqual(statusesOf(apart), statuses, apart.raw);
      for (const { end, raw } of [together, apart]) assert.notEqual(end, "open", raw);
      assert.deepEqual(await ranBehind(), []);
    });
  }

  const chunked = (body: string) => post("/echo", body, "Transfer-Encoding: chunked");
  const oddChunks: Readonly<Record<string, string>> = {
    "a trailer": "5\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "bare line feeds": "5\nhello\n0\n\n",
    "a size without digits": "\r\nhello\r\n0\r\n\r\n",
    "a negative size": "-5\r\nhello\r\n0\r\n\r\n",
    "a size with 0x": "0x5\r\nhello\r\n0\r\n\r\n",
    "a size that overflows": "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
    "no line end after the data": "5\r\nhelloXX0\r\n\r\n",
    "a space after the size": "5 \r\nhello\r\n0\r\n\r\n",
    "more data than its size": "3\r\nhello\r\n0\r\n\r\n",
  };

  for (const [name, body] of Object.entries(oddChunks)) {
    test(`a chunk with ${name} gets one answer or none, and nothing behind it runs`, async () => {
      const together = await talk(server.address, chunked(body) + get("/mark/same-segment"));
      const apart = await talk(server.address, [chunked(body), get("/mark/later-segment")]);

      for (const { replies, raw } of [together, apart]) assert.ok(replies.length <= 1, raw);
      assert.deepEqual(await ranBehind(), []);
    });
  }

  test("a chunked body is read whole, and ends the connection with its answer", async () => {
    const { replies, end } = await talk(server.address, [
      chunked("5\r\nhel"),
      "lo\r\n6\r\n world\r\n",
      "0\r\n\r\n",
    ]);

    assert.deepEqual(
      replies.map(({ status, body, headers }) => [status, body, headers["connection"]]),
      [[200, "hello world", "close"]],
    );
    assert.equal(end, "closed");
  });

  test("a chunked body answered by 204 ends the connection, without a length", async () => {
    const request = "GET /nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    const { replies } = await talk(server.address, [request, get("/mark/later-segment")], { pauseMs: 100 });

    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers["connection"], headers["content-length"]]),
      [[204, "close", undefined]],
    );
    assert.deepEqual(await ranBehind(), []);
  });

  test("an enormous body behind a malformed query ends the connection", async () => {
    const { replies, end } = await talk(server.address, post("/?%zz", "", "Content-Length: 99999999999"));

    assert.deepEqual([replies[0]?.status, end], [400, "closed"]);
  });

  test("a body that a route does not read is skipped, and the next request is run", async () => {
    const inside = get("/mark/inside");
    const skipped = post("/discard", inside, `Content-Length: ${inside.length}`);
    const { replies } = await talk(server.address, skipped + get("/mark/behind"));

    assert.deepEqual(
      replies.map(({ body }) => body),
      ["discarded", "marked"],
    );
    assert.deepEqual(await ranBehind(), ["behind"]);
  });

  test("a body of a path that is unknown is skipped too", async () => {
    const { replies } = await talk(
      server.address,
      post("/nowhere", "hello", "Content-Length: 5") + get("/mark/behind"),
    );

    assert.deepEqual(
      replies.map(({ status }) => status),
      [404, 200],
    );
    assert.deepEqual(await ranBehind(), ["behind"]);
  });

  test("a request without a length has no body: what follows is the next request", async () => {
    const { replies } = await talk(server.address, post("/echo", "") + get("/mark/behind"));

    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(await ranBehind(), ["behind"]);
  });
});
