import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Gate, type Head } from "#http/native/gate.js";
import { MemoryRequest } from "#http/testing/memory-request.js";

type Headers = readonly (readonly [string, string])[];

/** What the gate says of a request: "passed" with the body's length, or the refusal. */
function passed(
  method: string,
  target: string,
  headers: Headers = [["Host", "a"]],
  gate = new Gate(),
): string {
  const head: Head = {
    method,
    path: "",
    query: undefined,
    bodyLength: 0,
    contentType: "",
    contentEncoding: "",
  };
  const refusal = gate.pass(new MemoryRequest(method, target, headers), head);
  if (refusal === null) return `passed ${head.bodyLength}`;
  return `${refusal.problem.status} ${refusal.problem.code}${refusal.ends ? " ends" : ""}`;
}

const withHeaders = (...headers: Headers) => passed("POST", "/", [["Host", "a"], ...headers]);

describe("gate", () => {
  test("passes the methods that are served, and ends the connection of others", () => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      assert.equal(passed(method, "/"), "passed 0");
    for (const method of ["get", "TRACE", "CONNECT", "BREW", "GETX", ""])
      assert.equal(passed(method, "/"), "501 METHOD_UNKNOWN ends", method);
  });

  test("reads how long the body is", () => {
    assert.equal(withHeaders(["Content-Length", "0"]), "passed 0");
    assert.equal(withHeaders(["Content-Length", "12"]), "passed 12");
    assert.equal(withHeaders(["Transfer-Encoding", "chunked"]), "passed -1");
    assert.equal(withHeaders(["Transfer-Encoding", "Chunked"]), "passed -1");
  });

  test("refuses every ambiguous length and ends the connection", () => {
    const ambiguous: Headers[] = [
      [
        ["Content-Length", "5"],
        ["Content-Length", "3"],
      ],
      [
        ["Content-Length", "5"],
        ["Content-Length", "5"],
      ],
      [
        ["Content-Length", "5"],
        ["Transfer-Encoding", "chunked"],
      ],
      [
        ["Transfer-Encoding", "chunked"],
        ["Content-Length", "5"],
      ],
      [
        ["Transfer-Encoding", "chunked"],
        ["Transfer-Encoding", "chunked"],
      ],
      [
        ["Content-Length", ""],
        ["Content-Length", "5"],
      ],
      [
        ["Transfer-Encoding", ""],
        ["Transfer-Encoding", "chunked"],
      ],
      [["Content-Length", ""]],
      [["Transfer-Encoding", ""]],
      [["Content-Length", "5,5"]],
      [["Content-Length", "+5"]],
      [["Content-Length", "-5"]],
      [["Content-Length", "0x5"]],
      [["Content-Length", "5 5"]],
      [["Content-Length", "9999999999999999"]],
      [["Transfer-Encoding", "identity"]],
      [["Transfer-Encoding", "chunked, chunked"]],
      [["Transfer-Encoding", "chunked, identity"]],
      [["Transfer-Encoding", "chunked;q=1"]],
      [["Transfer-Encoding", ",chunked"]],
      [["Transfer-Encoding", "\u000bchunked"]],
    ];
    for (const method of ["POST", "GET", "DELETE"]) {
      for (const headers of ambiguous) {
        const answer = passed(method, "/", [["Host", "a"], ...headers]);
        assert.equal(answer, "400 FRAMING_INVALID ends", `${method} ${JSON.stringify(headers)}`);
      }
    }
  });

  test("answers 501 to other codings", () => {
    for (const coding of ["gzip", "cow", "gzip, chunked", "xchunked"]) {
      assert.equal(withHeaders(["Transfer-Encoding", coding]), "501 CODING_UNSUPPORTED ends", coding);
    }
  });

  test("lets 100-continue be expected, and nothing else", () => {
    for (const method of ["GET", "POST"]) {
      const expecting = (value: string) =>
        passed(method, "/", [
          ["Expect", value],
          ["Host", "a"],
        ]);
      assert.equal(expecting("100-Continue"), "passed 0");
      assert.equal(expecting("200-ok"), "417 EXPECTATION_UNKNOWN ends");
      assert.equal(expecting("100-continue, x"), "417 EXPECTATION_UNKNOWN ends");
    }
  });

  test("counts the first of a field that stands there twice, an empty one too", () => {
    const head = {
      method: "POST",
      path: "",
      query: undefined,
      bodyLength: 0,
      contentType: "",
      contentEncoding: "",
    };
    const twice = (name: string, first: string, second: string): Headers => [
      [name, first],
      [name, second],
    ];
    const host: Headers = [["Host", "a"]];
    const gate = new Gate();

    assert.equal(passed("GET", "/", twice("Host", "", "a")), "400 HOST_INVALID ends");
    assert.equal(withHeaders(...twice("Expect", "", "200-ok")), "passed 0");
    for (const [first, second] of [
      ["", "x"],
      ["x", "y"],
      ["x", ""],
    ] as const) {
      const types = twice("Content-Type", first, second);
      const codings = twice("Content-Encoding", first, second);
      const request = new MemoryRequest("POST", "/", [...host, ...types, ...codings]);

      assert.equal(gate.pass(request, head), null);
      assert.deepEqual([head.contentType, head.contentEncoding], [first, first]);
    }
  });

  test("refuses a Host that is none", () => {
    const hosted = (host: string) => {
      const answer = passed("GET", "/", [["Host", host]]);
      assert.equal(passed("POST", "/", [["Host", host]]), answer, host);
      return answer;
    };
    for (const host of [
      "a",
      "a.example:80",
      "a:",
      "127.0.0.1",
      "[::1]:3000",
      "xn--bcher-kva.example",
      "A_b~c",
    ])
      assert.equal(hosted(host), "passed 0", host);
    for (const host of [
      "",
      "a b",
      "user@evil",
      "a/b",
      "a:b",
      "[::1",
      "::1",
      "a\\b",
      "é",
      "a,b c",
      "a:999999",
      "%zz",
      "a".repeat(300),
    ]) {
      assert.equal(hosted(host), "400 HOST_INVALID ends", host);
    }
  });

  test("does not take a bad Host for the good one before it", () => {
    const gate = new Gate();

    assert.equal(passed("GET", "/", [["Host", "a"]], gate), "passed 0");
    assert.equal(passed("GET", "/", [["Host", "a b"]], gate), "400 HOST_INVALID ends");
    assert.equal(passed("GET", "/", [["Host", "a b"]], gate), "400 HOST_INVALID ends");
    assert.equal(passed("GET", "/", [["Host", "a"]], gate), "passed 0");
  });

  test("refuses a target above 8 KiB, query included", () => {
    assert.equal(passed("GET", `/${"a".repeat(8191)}`), "passed 0");
    assert.equal(passed("GET", `/${"a".repeat(8192)}`), "414 TARGET_TOO_LONG ends");
    assert.equal(passed("GET", `/?${"a".repeat(8190)}`), "passed 0");
    assert.equal(passed("GET", `/?${"a".repeat(8191)}`), "414 TARGET_TOO_LONG ends");
  });

  test("refuses a query that is no percent-encoded ASCII, and keeps the connection", () => {
    for (const query of ["", "a=b", "a=%41&b", "a=%C3%A9", "a='b'&c[]=\"d\""])
      assert.equal(passed("GET", `/?${query}`), "passed 0", query);
    for (const query of ["%", "a=%zz", "a=%00", "a=%C3", "a=é", "a=\u0001", "a#b", "a b"]) {
      assert.equal(passed("GET", `/?${query}`), "400 TARGET_INVALID", query);
    }
  });
});
