import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { ResponseReader } from "#bench/response-reader.js";

const COUNTED = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const CHUNKED =
  "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n";
const EMPTY = "HTTP/1.1 204 No Content\r\n\r\n";

/** The statuses of the responses that end, by the number of the piece that ends them. */
function read(pieces: readonly string[], method = "GET") {
  const reader = new ResponseReader(method);
  return pieces.map((piece) => reader.take(Buffer.from(piece, "latin1"))?.status);
}

describe("a response on a connection", () => {
  test("ends with its last byte, wherever it is cut", () => {
    for (const text of [COUNTED, CHUNKED, EMPTY])
      for (let cut = 1; cut < text.length; cut += 1) {
        const [first, last] = read([text.slice(0, cut), text.slice(cut)]);
        assert.equal(first, undefined, `${text.slice(0, cut)}|`);
        assert.equal(last, Number(text.slice(9, 12)), `${text.slice(0, cut)}|`);
      }
  });

  test("is followed by the next", () => {
    assert.deepEqual(read([COUNTED, CHUNKED, EMPTY, COUNTED]), [200, 201, 204, 200]);
  });

  test("of HEAD has no body, whatever its length says", () => {
    assert.deepEqual(read(["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"], "HEAD"), [200]);
  });

  test("is refused where it cannot be followed by another", () => {
    assert.throws(() => read(["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbye"]), /closes the connection/);
    assert.throws(() => read([`${COUNTED}${COUNTED}`]), /More than one response/);
    assert.throws(() => read(["SSH-2.0\r\n\r\n"]), /It is no response: ssh-2\.0/);
    assert.throws(() => read(["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno\r\n"]), /no size/);
    assert.throws(() => read(["x".repeat(70_000)]), /more than 64 KiB/);
  });
});
