import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import {
  parsePlace,
  placeOf,
  printPlace,
  takeToken,
  withParams,
} from "../../../src/inspector/ui/url/place.js";

describe("the place in the URL", () => {
  test("comes back from its own text, whatever names are in it", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(name), fc.dictionary(name, name), (path, params) => {
        const place = placeOf(path, params);
        const read = parsePlace(printPlace(place));

        assert.deepEqual(read.path, path);
        assert.deepEqual(new Map([...read.params].sort()), new Map([...place.params].sort()));
      }),
    );
  });

  test("has one text, whatever the order of its parameters", () => {
    assert.equal(
      printPlace(placeOf(["runs"], { b: "1", a: "2" })),
      printPlace(placeOf(["runs"], { a: "2", b: "1" })),
    );
    assert.equal(printPlace(placeOf([])), "#/");
  });

  test("loses what is taken away, and keeps what is not named", () => {
    const place = placeOf(["runs"], { status: "faulted", circuit: "a" });

    assert.equal(
      printPlace(withParams(place, { status: undefined, order: "slowest" })),
      "#/runs?circuit=a&order=slowest",
    );
    assert.equal(printPlace(withParams(place, { status: "" })), "#/runs?circuit=a");
  });

  test("is read from anything", () => {
    fc.assert(fc.property(fc.string(), (hash) => void parsePlace(hash)));
    assert.deepEqual(parsePlace("#/circuits/%zz").path, ["circuits", "%zz"]);
  });
});

describe("the token of a link", () => {
  test("is taken out, and the place stays", () => {
    assert.deepEqual(takeToken("#token=abc%2Fd"), { token: "abc/d", rest: "" });
    assert.deepEqual(takeToken("#/runs?status=faulted&token=abc"), {
      token: "abc",
      rest: "#/runs?status=faulted",
    });
    assert.deepEqual(takeToken("#/runs?token=abc&status=faulted"), {
      token: "abc",
      rest: "#/runs?status=faulted",
    });
    assert.deepEqual(takeToken("#/runs?token=abc"), { token: "abc", rest: "#/runs" });
  });

  test("is not found where there is none", () => {
    assert.deepEqual(takeToken("#/runs?mytoken=abc"), { token: undefined, rest: "#/runs?mytoken=abc" });
    assert.deepEqual(takeToken(""), { token: undefined, rest: "" });
  });

  test("never stays in what is left", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9_-]{16,40}$/),
        fc.constantFrom("#", "#/a?", "#/a?x=1&"),
        (token, before) => {
          assert.ok(!takeToken(`${before}token=${token}`).rest.includes(token));
        },
      ),
    );
  });
});
