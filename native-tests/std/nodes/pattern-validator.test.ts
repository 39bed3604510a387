import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault } from "framework";
import { type NodeFault, type PatternOptions, PatternValidator } from "framework/std";

const matches = (pattern: string, text: string, options?: PatternOptions<never>) =>
  Axon.start<string>("pattern").then(new PatternValidator(pattern, options)).execute(text);
const reason = (outcome: unknown) => {
  assert.ok(isFault(outcome));
  const { status, code, errors } = (outcome.error as NodeFault<"PATTERN_MISMATCH">).toProblemDetail();
  return [status, code, errors?.[0]?.pointer, errors?.[0]?.keyword];
};

describe("PatternValidator", () => {
  test("lets texts pass that the pattern is found in", () => {
    assert.equal(matches("[0-9]+", "room 12"), "room 12");
    assert.equal(matches("^[a-z]{2}$", "de"), "de");
    assert.equal(matches("^.$", "😀"), "😀", "a character is a code point");
    assert.equal(matches("^A$", "a", { ignoreCase: true }), "a");
  });

  test("is a regular expression, not a part of the text", () => {
    const refused = [422, "PATTERN_MISMATCH", "", "pattern"];

    assert.deepEqual(reason(matches("^a.c$", "a.cd")), refused);
    assert.deepEqual(reason(matches("[0-9]", "[0-9]".replace(/\d/g, "x"))), refused);
    assert.deepEqual(reason(matches("^A$", "a")), refused);
    assert.deepEqual(reason(matches("^a$", "a\n")), refused, "$ is the end, not the end of a line");
  });

  test("says what was wanted, not what was there", () => {
    const outcome = matches("^[a-z]+$", "SECRET");

    assert.ok(isFault(outcome));
    assert.equal(JSON.stringify(outcome.error).includes("SECRET"), false);
    assert.match(JSON.stringify(outcome.error), /a string that matches \^\[a-z\]\+\$/);
  });

  test("takes no longer than the text is long, for patterns that hang others", () => {
    const evil = Axon.start<string>("evil").then(
      new PatternValidator("^(([a-z])+.)+[A-Z]([a-z])+$", { maxLength: 1e6 }),
    );
    const began = performance.now();

    assert.ok(isFault(evil.execute("a".repeat(100_000))));
    // A backtracking engine needs more than the age of the universe for 100 of them.
    assert.ok(performance.now() - began < 5000);
  });

  test("refuses longer texts than it may read", () => {
    assert.equal(matches("a", "a".repeat(10_000)), "a".repeat(10_000));
    assert.deepEqual(reason(matches("a", "a".repeat(10_001))), [422, "PATTERN_MISMATCH", "", "maxLength"]);
    assert.equal(reason(matches("a", "aaa", { maxLength: 2 }))[3], "maxLength");
  });

  test("looks at a field, and lets the whole object pass", () => {
    const axon = Axon.start<{ sku: string }>("field").then(
      new PatternValidator("^[a-z]+$", { field: "sku" }),
    );
    const order = { sku: "tea" };

    assert.equal(axon.execute(order), order);
    assert.deepEqual(reason(axon.execute({ sku: "1" })).slice(2), ["/sku", "pattern"]);
    assert.deepEqual(reason(axon.execute({ sku: 1 } as never)).slice(2), ["/sku", "type"]);
  });

  test("refuses patterns that are none, or could not be linear", () => {
    for (const pattern of ["(", "(a)\\1", "(?=a)b", "a{5000}"])
      assert.throws(() => new PatternValidator(pattern), {
        code: "CONFIG_INVALID",
        message: /no regular expression in RE2's syntax/,
      });
    for (const maxLength of [0, 1.5])
      assert.throws(() => new PatternValidator("a", { maxLength }), {
        code: "CONFIG_INVALID",
        message: `PatternValidator("a"): maxLength ${maxLength} must be a positive integer`,
      });
  });

  test("is drawn with its pattern", () => {
    assert.equal(new PatternValidator("^a$", { field: "sku" }).description, "sku ^a$");
    assert.equal(new PatternValidator("^a$").description, "^a$");
  });
});
