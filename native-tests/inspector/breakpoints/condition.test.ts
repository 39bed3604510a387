import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { compileCondition } from "#inspector/breakpoints/compile-condition.js";
import {
  type Condition,
  ConditionError,
  MAX_CONDITION_LENGTH,
  MAX_NESTING,
  type Operator,
  operators,
  type Scalar,
} from "#inspector/breakpoints/condition.js";
import { parseCondition } from "#inspector/breakpoints/parse-condition.js";
import { printPath } from "#inspector/breakpoints/schema-paths.js";
import { anyText } from "../../support/any-text.js";

const holds = (text: string, value: unknown): boolean => compileCondition(parseCondition(text))(value);

/** Where and with what words a condition is refused. */
function refusal(text: string): ConditionError {
  try {
    parseCondition(text);
  } catch (error) {
    if (error instanceof ConditionError) return error;
    throw error;
  }
  return assert.fail(`'${text}' parses`);
}

const order = {
  total: 120,
  customer: { name: "Ada", vip: true, note: null },
  lines: [{ sku: "tea" }, { sku: "cup" }],
  "content-type": "json",
  "a b": { "": 1 },
};

// Names that are also words, signs or numbers of the language, and names of what every object inherits.
const name = fc.oneof(
  fc.constantFrom("a", "b", "0", "1", "$", "true", "null", "a-b", "é", "", "x y", '"', "length", "toString"),
  anyText({ maxLength: 4 }),
);
const path = fc.array(name, { maxLength: 3 });
const text = fc.oneof(fc.constantFrom("", "a", "b", "1", "true"), anyText({ maxLength: 6 }));
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 1.5, 1e21, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  text,
  number.map((n) => (n === 0 ? 0 : n)),
  fc.boolean(),
  fc.constant(null),
);
const comparison: fc.Arbitrary<Condition> = fc
  .record({ path, operator: fc.constantFrom(...operators), value: scalar })
  .map(({ path, operator, value }) => {
    const isOrdered = typeof value === "string" || typeof value === "number";
    return {
      kind: "comparison",
      path,
      operator: isOrdered ? operator : operator === "==" ? "==" : "!=",
      value,
    };
  });
const condition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    comparison,
    tie("condition").map((term) => ({ kind: "not" as const, term })),
    fc
      .tuple(
        fc.constantFrom("and" as const, "or" as const),
        fc.array(tie("condition"), { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, terms]) => ({ kind, terms })),
  ),
})).condition;

/** Values in which the paths above often lead somewhere. */
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: false }),
  ),
})).value;

/** What a condition says of JSON, in other words: by entries of objects, and one comparison of numbers or of texts. */
function expected(condition: Condition, value: unknown): boolean {
  switch (condition.kind) {
    case "not":
      return !expected(condition.term, value);
    case "and":
      return condition.terms.map((term) => expected(term, value)).filter((is) => !is).length === 0;
    case "or":
      return condition.terms.map((term) => expected(term, value)).includes(true);
    case "comparison": {
      let found: unknown = value;
      for (const part of condition.path) {
        const own = new Map<string, unknown>(
          typeof found === "object" && found !== null
            ? [...Object.entries(found), ...(Array.isArray(found) ? [["length", found.length] as const] : [])]
            : [],
        );
        found = own.has(part) ? own.get(part) : null;
      }
      return compared(found, condition.operator, condition.value);
    }
  }
}

function compared(found: unknown, operator: Operator, wanted: Scalar): boolean {
  const isSame = Object.is(found, wanted) || (found === 0 && wanted === 0);
  if (operator === "==") return isSame;
  if (operator === "!=") return !isSame;
  const bothNumbers = typeof found === "number" && typeof wanted === "number";
  const bothTexts = typeof found === "string" && typeof wanted === "string";
  if (!bothNumbers && !bothTexts) return false;
  const isLess = [found, wanted].sort(bothNumbers ? (a, b) => Number(a) - Number(b) : undefined)[0] === found;
  return (isLess && !isSame) === operator.startsWith("<")
    ? !isSame || operator.endsWith("=")
    : isSame && operator.endsWith("=");
}

describe("a condition", () => {
  test("compares what stands at a path", () => {
    assert.ok(holds("total > 100", order));
    assert.ok(holds("customer.vip == true && customer.name != 'Bob'", order));
    assert.ok(holds('lines[1].sku == "cup"', order));
    assert.ok(holds("lines.1.sku == 'cup'", order));
    assert.ok(holds("['content-type'] == 'json' && content-type == 'json'", order));
    assert.ok(holds("['a b'][''] == 1", order));
    assert.ok(holds("lines.length >= 2", order));
    assert.ok(!holds("total > 120 || !(customer.vip == true)", order));
  });

  test("speaks of the value itself as $", () => {
    assert.ok(holds("$ > 5", 6));
    assert.ok(holds("$[0].sku == 'tea'", order.lines));
    assert.ok(holds("[0].sku == 'tea'", order.lines));
    assert.ok(holds("$.total == 120", order));
    assert.ok(holds('["$"] == 1', { $: 1 }));
  });

  test("takes what is missing for null", () => {
    assert.ok(holds("customer.phone == null", order));
    assert.ok(holds("customer.note == null", order));
    assert.ok(holds("no.such.path == null", undefined));
    assert.ok(holds("phone != 'x'", order));
    assert.ok(!holds("phone < 'x' || phone >= 'x'", order));
  });

  test("puts in order only what is of one type", () => {
    assert.ok(!holds("$ > 9", "10"));
    assert.ok(!holds("$ <= 9", "10"));
    assert.ok(holds("$ < '9'", "10"));
  });

  test("binds ! closer than &&, and && closer than ||", () => {
    assert.deepEqual(parseCondition("!a == 1 && b == 2 || c == 3"), {
      kind: "or",
      terms: [
        {
          kind: "and",
          terms: [
            { kind: "not", term: { kind: "comparison", path: ["a"], operator: "==", value: 1 } },
            { kind: "comparison", path: ["b"], operator: "==", value: 2 },
          ],
        },
        { kind: "comparison", path: ["c"], operator: "==", value: 3 },
      ],
    });
  });

  test("needs no space between its signs, and takes any", () => {
    const spaced = " ! ( a\t== -1.5e3\r\n&& b >= 'x' ) || c != null ";

    assert.deepEqual(parseCondition("!(a==-1.5e3&&b>='x')||c!=null"), parseCondition(spaced));
  });

  test("reads the escapes of JSON, in either quotes", () => {
    assert.ok(holds(String.raw`$ == "\"\u00e9\n"`, '"é\n'));
    assert.ok(holds(String.raw`$ == '\'"\\'`, "'\"\\"));
  });
});

describe("a condition of any form", () => {
  test("is the same after it was written and read", () => {
    fc.assert(
      fc.property(condition, (wanted) => {
        const written = printCondition(wanted);
        fc.pre(written.length <= MAX_CONDITION_LENGTH);

        assert.deepEqual(parseCondition(written), wanted);
      }),
      { numRuns: 500 },
    );
  });

  test("decides as its definition does", () => {
    fc.assert(
      fc.property(condition, value, (wanted, given) => {
        assert.equal(compileCondition(wanted)(given), expected(wanted, given), printCondition(wanted));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("what a condition reads", () => {
  test("is a value's own, and nothing that it inherits", () => {
    for (const inherited of ["toString", "constructor", "__proto__", "hasOwnProperty", "length", "name"])
      assert.ok(holds(`${inherited} == null`, {}), inherited);
    assert.ok(holds("constructor.name == null", {}));
    assert.ok(holds("secret == null", Object.create({ secret: 1 })));
    assert.ok(holds("__proto__ == 1", JSON.parse('{"__proto__":1}')));
    assert.ok(holds("length == null", "a text has no properties here"));
  });

  test("runs nothing: a getter is not there", () => {
    let calls = 0;
    const value = {
      get a() {
        calls += 1;
        return 1;
      },
    };

    assert.ok(holds("a == null", value));
    assert.equal(calls, 0);
  });

  test("is no reason to throw: what cannot be read does not fulfil it, nor its opposite", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    assert.ok(!holds("a == null", proxy));
    assert.ok(!holds("!(a == 1)", proxy));
  });
});

describe("a condition that does not parse", () => {
  for (const [wrong, position, expected] of [
    ["", 0, /a path/],
    ["   ", 3, /a path/],
    ["total", 5, /a comparison: ==/],
    ["total = 5", 6, /a path, a comparison or a value/],
    ["total == ", 9, /a value/],
    ["total == {", 9, /a path, a comparison or a value/],
    ["total == five", 9, /a value/],
    ["total == true.x", 9, /a value/],
    ["total > true", 8, /a text in quotes or a number/],
    ["total == 'a", 11, /closing ' of the text .* at 9/],
    ["total == 'a\\q'", 11, /an escape of JSON/],
    ["total == 1e999", 9, /a number that is not as large/],
    ["total == 1 &&", 13, /a path/],
    ["total == 1 & b == 2", 11, /a path, a comparison or a value/],
    ["total == 1 b == 2", 11, /'&&', '\|\|' or the end/],
    ["(total == 1", 11, /'&&', '\|\|' or '\)'/],
    ["total == 1)", 10, /'&&', '\|\|' or the end/],
    ["5 == total", 0, /a path/],
    ["a. == 1", 2, /the name of a property/],
    ["a[x] == 1", 2, /an index, or a name in quotes/],
    ["a[1 == 1", 3, /'\]'/],
    ["a[01] == 1", 3, /'\]'/],
    ["a == '😀' 😀", 10, /a path, a comparison/],
  ] as const)
    test(`says where, and what would be right there: ${JSON.stringify(wrong)}`, () => {
      const error = refusal(wrong);

      assert.equal(error.position, position);
      assert.match(error.expected, expected);
      assert.match(error.message, new RegExp(`^At position ${position}: expected .*, found `));
    });

  test("nests too deep, goes too far down or is too long", () => {
    const nested = (depth: number) => `${"(".repeat(depth)}a == 1${")".repeat(depth)}`;
    const far = (parts: number) => `${Array(parts).fill("a").join(".")} == 1`;
    const long = (length: number) => `a == "${"x".repeat(length - 7)}"`;

    assert.doesNotThrow(() => parseCondition(nested(MAX_NESTING)));
    assert.equal(refusal(nested(MAX_NESTING + 1)).position, MAX_NESTING);
    assert.equal(refusal(`${"!".repeat(MAX_NESTING + 1)}a == 1`).position, MAX_NESTING);
    assert.doesNotThrow(() => parseCondition(far(32)));
    assert.match(refusal(far(33)).expected, /at most 32 parts/);
    assert.doesNotThrow(() => parseCondition(long(MAX_CONDITION_LENGTH)));
    assert.match(refusal(long(MAX_CONDITION_LENGTH + 1)).expected, /at most 1000 characters/);
  });

  test("is no worse than that, whatever it is", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "a",
        ".",
        "[",
        "]",
        "0",
        "12",
        '"',
        "'",
        "\\",
        "\\u12",
        "==",
        "=",
        "!",
        "<",
        "&&",
        "&",
        "||",
        "(",
        ")",
        " ",
        "-",
        "e",
        "$",
        "true",
        "😀",
        "\ud800",
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText({ maxLength: 60 }),
          pieces.map((list) => list.join("")),
        ),
        (given) => {
          try {
            parseCondition(given);
          } catch (error) {
            assert.ok(error instanceof ConditionError, String(error));
            assert.ok(error.position >= 0 && error.position <= given.length);
          }
        },
      ),
      { numRuns: 5000 },
    );
  });

  test("takes no longer to refuse than it takes to look at it once", () => {
    for (const piece of ["(", "!", "a.", "a[", "'\\", '"', "a==1&&", "1", "-", " ", "[0]", "e1", "\\"]) {
      const given = piece.repeat(Math.floor(MAX_CONDITION_LENGTH / piece.length));
      const began = performance.now();
      for (let i = 0; i < 100; i += 1) refusalOrNone(given);
      // 100 KB of text; anything that goes back over it would take many seconds.
      assert.ok(performance.now() - began < 5000, piece);
    }
    assert.equal(refusal("(".repeat(10_000_000)).position, MAX_CONDITION_LENGTH);
  });
});

function refusalOrNone(given: string): void {
  try {
    parseCondition(given);
  } catch (error) {
    assert.ok(error instanceof ConditionError);
  }
}

/** A condition as text, which is read as that condition again. */
function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case "comparison":
      return `${printPath(condition.path)} ${condition.operator} ${JSON.stringify(condition.value)}`;
    case "not":
      return condition.term.kind === "not"
        ? `!${printCondition(condition.term)}`
        : `!(${printCondition(condition.term)})`;
    case "and":
      return condition.terms.map((term) => printTerm(term, "and", "or")).join(" && ");
    case "or":
      return condition.terms.map((term) => printTerm(term, "or")).join(" || ");
  }
}

/** In parentheses where it is of one of these kinds: `a && (b && c)` keeps them. */
const printTerm = (term: Condition, ...kinds: Condition["kind"][]): string =>
  kinds.includes(term.kind) ? `(${printCondition(term)})` : printCondition(term);
