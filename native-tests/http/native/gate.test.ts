import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { Gate, type Head } from "#http/native/gate.js";

const RULES = { targetLimit: 8192, allowedHosts: [] };

type Headers = readonly (readonly [string, string])[];

function gatedBy(gate: Gate, headers: Headers, method = "POST", target = "/") {
  const head: Head = {
    method,
    path: "",
    query: undefined,
    bodyLength: 0,
    host: "",
    origin: "",
    isTraced: false,
    closing: "no" as const,
    contentType: "",
    contentEncoding: "",
    needsWalk: false,
  };
  return { head, refusal: gate.pass(new MemoryRequest(target, headers), head) };
}

const gated = (...headers: Headers) => gatedBy(new Gate(RULES), [["Host", "a"], ...headers]);

/** What the gate says of a request: "passed" with the body's length, or the refusal. */
function passed(
  method: string,
  target: string,
  headers: Headers = [["Host", "a"]],
  gate = new Gate(RULES),
): string {
  const { head, refusal } = gatedBy(gate, headers, method, target);
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
      assert.equal(expecting("100-continue"), "passed 0");
      assert.equal(expecting("100-Continue"), "417 EXPECTATION_UNKNOWN ends");
      assert.equal(expecting("200-ok"), "417 EXPECTATION_UNKNOWN ends");
      assert.equal(expecting("100-continue, x"), "417 EXPECTATION_UNKNOWN ends");
    }
  });

  test("reads all lines of a list: what is unknown in the second is, too", () => {
    const twice = (first: string, second: string) => withHeaders(["Expect", first], ["Expect", second]);

    assert.equal(twice("100-continue", "200-ok"), "417 EXPECTATION_UNKNOWN ends");
    assert.equal(twice("200-ok", "100-continue"), "417 EXPECTATION_UNKNOWN ends");
    assert.equal(twice("", "200-ok"), "417 EXPECTATION_UNKNOWN ends");
    assert.equal(twice("100-continue", "100-continue"), "passed 0");
    assert.equal(twice("", ""), "passed 0");
    for (const [first, second, whole] of [
      ["identity", "gzip", "identity, gzip"],
      ["", "gzip", "gzip"],
      ["gzip", "", "gzip"],
      ["", "", ""],
    ] as const) {
      const { head } = gated(["Content-Encoding", first], ["Content-Encoding", second]);
      assert.equal(head.contentEncoding, whole);
    }
  });

  test("refuses two lines of what has one value, empty and equal ones too", () => {
    for (const name of ["Content-Type", "Origin", "authorization", "Proxy-Authorization", "Range", "Host"]) {
      for (const [first, second] of [
        ["a", "b"],
        ["a", "a"],
        ["", "a"],
        ["a", ""],
      ] as const) {
        const answer = withHeaders([name, first], ["x", "y"], [name, second]);
        assert.equal(answer, "400 HEADER_REPEATED ends", `${name}: ${first}, ${second}`);
      }
      if (name !== "Host") assert.equal(withHeaders([name, "a"]), "passed 0", name);
    }
  });

  test("tells whether a header has several lines, or is empty", () => {
    assert.equal(gated(["x", "1"], ["y", "2"]).head.needsWalk, false);
    assert.equal(gated(["x", "1"], ["y", "2"], ["x", "1"]).head.needsWalk, true);
    assert.equal(gated(["x", "1"], ["y", ""]).head.needsWalk, true);
    // These two the gate's walk takes for one at first.
    assert.equal(gated(["x-csrf-token", "1"], ["x-xsrf-token", "1"]).head.needsWalk, false);
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
    const gate = new Gate(RULES);

    assert.equal(passed("GET", "/", [["Host", "a"]], gate), "passed 0");
    assert.equal(passed("GET", "/", [["Host", "a b"]], gate), "400 HOST_INVALID ends");
    assert.equal(passed("GET", "/", [["Host", "a b"]], gate), "400 HOST_INVALID ends");
    assert.equal(passed("GET", "/", [["Host", "a"]], gate), "passed 0");
  });

  test("ends the connection of a Host that is not served", () => {
    const gate = new Gate({ ...RULES, allowedHosts: ["a.example", "*.b.example"] });
    const hosted = (host: string) => passed("GET", "/", [["Host", host]], gate);

    for (let i = 0; i < 2; i += 1) {
      assert.equal(hosted("a.example:80"), "passed 0");
      assert.equal(hosted("x.b.example"), "passed 0");
      assert.equal(hosted("b.example"), "421 HOST_UNSERVED ends");
      assert.equal(hosted("a b"), "400 HOST_INVALID ends");
    }
  });

  test("refuses a target above the limit, query included", () => {
    assert.equal(passed("GET", `/${"a".repeat(8191)}`), "passed 0");
    assert.equal(passed("GET", `/${"a".repeat(8192)}`), "414 TARGET_TOO_LONG ends");
    assert.equal(passed("GET", `/?${"a".repeat(8190)}`), "passed 0");
    assert.equal(passed("GET", `/?${"a".repeat(8191)}`), "414 TARGET_TOO_LONG ends");

    const small = (target: string) =>
      passed("GET", target, [["Host", "a"]], new Gate({ ...RULES, targetLimit: 64 }));
    assert.equal(small(`/${"a".repeat(63)}`), "passed 0");
    assert.equal(small(`/${"a".repeat(64)}`), "414 TARGET_TOO_LONG ends");
    assert.equal(small(`/?${"a".repeat(62)}`), "passed 0");
    assert.equal(small(`/?${"a".repeat(63)}`), "414 TARGET_TOO_LONG ends");
  });

  test("refuses a query that is no percent-encoded ASCII, and keeps the connection", () => {
    for (const query of ["", "a=b", "a=%41&b", "a=%C3%A9", "a='b'&c[]=\"d\""])
      assert.equal(passed("GET", `/?${query}`), "passed 0", query);
    for (const query of ["%", "a=%zz", "a=%00", "a=%C3", "a=é", "a=\u0001", "a#b", "a b"]) {
      assert.equal(passed("GET", `/?${query}`), "400 TARGET_INVALID", query);
    }
  });
});
