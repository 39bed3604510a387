import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { compileCookies, compileHeaders, fieldsOf } from "#http/input/head-parameters.js";
import { Refusal } from "#http/refusal/refusal.js";

type Lines = readonly (readonly [string, string])[];

const headers = (properties: Parameters<typeof Type.Object>[0], lines: Lines) => {
  const names = new Set(Object.keys(properties).map((name) => name.toLowerCase()));
  const read = compileHeaders(Type.Object(properties), "GET /");
  return { ...read(fieldsOf(new MemoryRequest("/", lines), names)) };
};
const cookies = (names: readonly string[], ...lines: readonly string[]) => {
  const schema = Type.Object(Object.fromEntries(names.map((name) => [name, Type.String()])));
  const request = new MemoryRequest(
    "/",
    lines.map((line) => ["Cookie", line]),
  );
  const read = compileCookies(schema)(fieldsOf(request, new Set(["cookie"])));
  return read instanceof Refusal ? read.problem.detail : { ...read };
};

describe("headers as parameters", () => {
  test("are found whatever the case of their names, and no others are taken", () => {
    assert.deepEqual(
      headers({ "X-Tenant": Type.String(), accept: Type.String() }, [
        ["x-tenant", "acme"],
        ["Accept", "*/*"],
        ["X-Other", "1"],
      ]),
      { "X-Tenant": "acme", accept: "*/*" },
    );
  });

  test("that are empty are absent, unless they are lists, or conditions", () => {
    const empty = (name: string, type: Parameters<typeof headers>[0][string], ...lines: string[]) =>
      headers(
        { [name]: type },
        ["", ...lines].map((line) => [name, line]),
      );

    assert.deepEqual(empty("x-a", Type.String()), {});
    assert.deepEqual(empty("x-a", Type.String(), "1"), { "x-a": "1" });
    assert.deepEqual(empty("x-a", Type.String(), "1", "2"), { "x-a": ["1", "2"] });
    assert.deepEqual(empty("x-a", Type.Array(Type.String())), { "x-a": [] });
    assert.deepEqual(empty("If-Match", Type.String()), { "If-Match": "" });
  });

  test("that come more than once are all there", () => {
    assert.deepEqual(
      headers({ "x-a": Type.String() }, [
        ["X-A", "1"],
        ["x-a", "2"],
        ["x-a", "3"],
      ]),
      { "x-a": ["1", "2", "3"] },
    );
  });

  test("are split at commas where a list is wanted, but not inside quotes", () => {
    const list = { "x-a": Type.Array(Type.String()) };

    assert.deepEqual(headers(list, [["x-a", "a, b ,,c"]]), { "x-a": ["a", "b", "c"] });
    assert.deepEqual(
      headers(list, [
        ["x-a", 'W/"a,b", "c\\",d"'],
        ["x-a", "e"],
      ]),
      { "x-a": ['W/"a,b"', '"c\\",d"', "e"] },
    );
    assert.deepEqual(headers(list, [["x-a", '"open, a']]), { "x-a": ['"open, a'] });
  });

  test("cannot be asked for twice", () => {
    assert.throws(() => compileHeaders(Type.Object({ "x-a": Type.Any(), "X-A": Type.Any() }), "GET /x"), {
      code: "EXTRACTOR_INVALID",
      message: /^GET \/x: header\(\) asks for 'X-A' twice/,
    });
  });
});

describe("cookies as parameters", () => {
  test("are decoded, and only those are taken that the schema names", () => {
    assert.deepEqual(cookies(["sid", "b"], 'sid=a%20b; other=1; b="quoted"'), { sid: "a b", b: '"quoted"' });
    assert.deepEqual(cookies(["sid"]), {});
  });

  test("of one name count once, the first", () => {
    assert.deepEqual(cookies(["sid"], "sid=1; sid=2", "sid=3"), { sid: "1" });
  });

  test("may be called like anything", () => {
    assert.deepEqual(cookies(["constructor", "toString"], "constructor=1"), { constructor: "1" });
  });

  test("are at most 1000", () => {
    assert.equal(cookies(["a"], "a=1;".repeat(1001)), "There are more than 1000 cookies");
    assert.deepEqual(cookies(["a"], "a=1;".repeat(999)), { a: "1" });
  });
});
