import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { type FrameworkError, html, isHeaderValue, ProblemDetail, Reply, respond } from "framework";
import { anyText } from "../../support/any-text.js";

/** A value as a program without types passes it. */
const untyped = (value: unknown) => value as never;

const invalid = { code: "RESPONSE_INVALID" };
const problem = new ProblemDetail({ status: 409, code: "TAKEN", title: "Taken" });

describe("respond", () => {
  test("answers 200, 204 without a body, and a problem with its own status", () => {
    assert.equal(respond({ body: "x" }).status, 200);
    assert.equal(respond({ body: null }).status, 200);
    assert.equal(respond({ body: html("<p>") }).status, 200);
    assert.equal(respond().status, 204);
    assert.equal(respond({ body: problem }).status, 409);
    assert.equal(respond({ status: 201, body: 1 }).status, 201);
  });

  test("keeps headers by lower-case name, each value on its own", () => {
    const { headers } = respond({
      headers: { Vary: ["Accept", "Origin"], vary: "Cookie", "X-A": "1" },
      cookies: [
        { name: "a", line: "a=1" },
        { name: "b", line: "b=2" },
      ],
    });

    assert.deepEqual(
      { ...headers },
      { vary: ["Accept", "Origin", "Cookie"], "x-a": ["1"], "set-cookie": ["a=1", "b=2"] },
    );
    assert.equal(headers["toString"], undefined);
  });

  test("refuses a page that is no text", () => {
    assert.throws(() => html(untyped(undefined)), invalid);
    assert.throws(() => html(untyped(5)), invalid);
  });

  test("refuses a status that is no final one", () => {
    for (const status of [0, 100, 103, 199, 600, 200.5, Number.NaN, untyped("200")])
      assert.throws(() => respond({ status }), invalid, String(status));
    for (const status of [200, 299, 404, 599]) assert.doesNotThrow(() => respond({ status }));
  });

  test("refuses a body where there can be none, and one that is no value", () => {
    for (const status of [204, 205, 304]) {
      assert.throws(() => respond({ status, body: "x" }), invalid);
      assert.doesNotThrow(() => respond({ status }));
    }
    assert.throws(() => respond({ body: Promise.resolve(1) }), /await it first/);
    assert.throws(() => respond({ body: respond() }), invalid);
    assert.throws(() => respond({ status: 400, body: problem }), /contradicts/);
    assert.throws(() => respond({ headers: { "Content-Type": "x/y" }, body: problem }), /content type/);
    assert.doesNotThrow(() => respond({ status: 409, body: problem }));
  });

  test("refuses headers that could split the answer, naming them and never showing the value", () => {
    for (const value of [
      "a\r\nset-cookie: x",
      "a\nb",
      "a\rb",
      "a\0b",
      "é",
      "\u010d\u010a",
      untyped(undefined),
    ]) {
      assert.throws(() => respond({ headers: { "x-a": value } }), {
        code: "HEADER_INVALID",
        message: /'x-a'/,
      });
      assert.throws(() => respond({ headers: { "x-a": ["fine", value] } }), { code: "HEADER_INVALID" });
      assert.throws(() => respond({ cookies: [{ name: "a", line: value }] }), { code: "HEADER_INVALID" });
    }
    assert.throws(() => respond({ headers: { "x a": "1" } }), { code: "HEADER_INVALID" });
    assert.throws(() => respond({ headers: { "x\r\ny": "1" } }), { code: "HEADER_INVALID" });
  });

  test("writes one line for a value, whatever the texts, or refuses them", () => {
    const text = fc.oneof(
      fc.string(),
      anyText(),
      fc.string({ unit: fc.constantFrom("a", "-", ":", " ", "\r", "\n", "\t", "\0", "\u010d", "\u010a") }),
    );
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (name, values) => {
        let made: Reply<undefined>;
        try {
          made = respond({ headers: { [name]: values } });
        } catch (error) {
          assert.equal((error as FrameworkError).code, "HEADER_INVALID");
          return;
        }
        const lines = made.lines.split("\r\n").slice(1);
        assert.deepEqual(
          lines,
          values.map((value) => `${name.toLowerCase()}: ${value}`),
        );
        for (const line of lines) assert.match(line, /^[\t\x20-\x7e]*$/);
      }),
      { numRuns: 3000 },
    );
  });

  test("refuses headers that the ingress or the engine writes, in any case", () => {
    for (const name of [
      "Content-Length",
      "transfer-encoding",
      "CONNECTION",
      "keep-alive",
      "date",
      "upgrade",
      "trailer",
      "x-request-id",
    ])
      assert.throws(() => respond({ headers: { [name]: "1" } }), {
        code: "HEADER_INVALID",
        message: /is not for a step to set: /,
      });
  });

  test("refuses more headers than clients read", () => {
    const value = "x".repeat(1000);

    assert.doesNotThrow(() => respond({ headers: { "x-a": Array(16).fill(value) } }));
    assert.throws(() => respond({ headers: { "x-a": Array(17).fill(value) } }), /read no more than 16384/);
  });

  test("cannot be changed afterwards: what is written is what was checked", () => {
    const reply = respond({ headers: { "x-a": "1" } }) as unknown as {
      status: number;
      headers: Record<string, string[]>;
    };

    assert.throws(() => {
      reply.status = 100;
    }, TypeError);
    reply.headers["x-b"] = ["a\r\nb"];
    reply.headers["x-a"]?.push("a\r\nb");
    assert.deepEqual({ ...reply.headers }, { "x-a": ["1"] });
    assert.ok(reply instanceof Reply);
  });
});

describe("isHeaderValue", () => {
  test("holds for visible ASCII, spaces and tabs", () => {
    assert.ok(isHeaderValue("a b\tc ~"));
    for (const value of ["\r", "\n", "\0", "\u007f", "é", "\u2028"]) assert.ok(!isHeaderValue(value));
  });
});
