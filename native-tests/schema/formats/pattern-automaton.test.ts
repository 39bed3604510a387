import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { checkedPattern } from "#schema/formats/pattern.js";
import { isCostly, mostSteps } from "#schema/formats/pattern-cost.js";
import { type Pattern, sourceOf, stepsOf } from "../../support/counting-matcher.js";

/** The matcher of these tests counts each visit of a part of the pattern, not each character: up to 4.4. */
const VISITS_A_STEP = 8;
const LENGTH = 24;

const { pattern: anyPattern } = fc.letrec<{ pattern: Pattern }>((tie) => {
  const parts = fc.array(tie("pattern"), { minLength: 1, maxLength: 3 });
  const counts = fc.constantFrom(
    ...[
      [0, 1],
      [0, 4],
      [1, 3],
      [2, 2],
      [4, 4],
      [0, 9],
      [0, 30],
      [12, 12],
      [30, 30],
    ],
  );
  const endless = fc.constantFrom(...[0, 1, 3].map((min) => [min, Number.POSITIVE_INFINITY]));
  const repetition = fc
    .tuple(tie("pattern"), fc.oneof(counts, endless))
    .map(([of, [min, max]]) => ({ kind: "repetition", of, min: min as number, max: max as number }) as const);
  return {
    pattern: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<Pattern>({ kind: "character", of: "a" }, { kind: "character", of: "b" }),
      repetition,
      repetition,
      parts.map((of): Pattern => ({ kind: "sequence", of })),
      parts.map((of): Pattern => ({ kind: "choice", of })),
      fc.tuple(tie("pattern"), fc.boolean()).map(([of, negate]): Pattern => ({ kind: "ahead", of, negate })),
    ),
  };
});

describe("a pattern of exponential time", () => {
  test("is known by repetitions that are nested", () => {
    for (const pattern of [/^(a+)+$/u, /^(\w+\s?)*$/u, /(x+x+)+y/u, /^([a-z0-9]+[-_]?)+$/u, /^(a*b*)*$/u]) {
      assert.ok(isCostly(pattern, 64), String(pattern));
    }
  });

  test("is known by repeated choices that overlap", () => {
    for (const pattern of [/^(\w|\d)+$/u, /^(?:a|a)*$/u, /^(a|aa)+$/u, /^(\s|\n){0,50}$/u, /^(a|b|ab)*$/u]) {
      assert.ok(isCostly(pattern, 64), String(pattern));
    }
  });

  test("is known however deep the choice is nested", () => {
    for (const pattern of [
      /^(a(b|b))*$/u,
      /^(a(b|[a-c])d?)+$/u,
      /^(x(y(z|z?z))*)*$/u,
      /^((a?|b?)c)*$/u,
      /^(\d+,?)+$/,
      /^(?:(?:ab|a)(?:b|c)?)*$/u,
      /^(?=a)(a|(a))*$/u,
      /^(a)(\1|a)*$/u,
    ])
      assert.ok(isCostly(pattern, 64), String(pattern));
  });

  test("is known by repetitions that end, where there are many", () => {
    for (const pattern of [/^(a{1,30}){1,30}$/u, /^(\d{1,3})*$/u, /^(x{1,9}){9}$/u, /^(?:a|a){20}b$/u])
      assert.ok(isCostly(pattern, 64), String(pattern));
  });

  test("is known by small counts whose product is large", () => {
    for (const pattern of [
      /^(?:(?:a{0,9}){4}){4}b$/u,
      /^(?:(?:(?:a?){4}){4}){2}b$/u,
      /^(?:(?:(?:a{0,9}){4}){4}){4}b$/u,
      /^(?:(?:a*){4}){4}b$/u,
      /^(?:(?:a|a){4}(?:a|a){4}){3}b$/u,
      /^(?:a{0,9}){4}(?:(?:a{0,4}){2}){2}b$/u,
      /^(?:a|a){16}(?:a|a){16}b$/u,
    ])
      assert.ok(isCostly(pattern, 64), String(pattern));
  });

  test("is known by look-arounds, however deep", () => {
    for (const pattern of [
      /^(?=(?:a+)+b)/u,
      /^(?!(?:a|a)*b)c/u,
      /(?<=b(?:a+)+)c/u,
      /(?<!b(?:a|a)*)c/u,
      /^(?:x(?=(?:a+)+b))?/u,
      /^(?=a(?!(?:\w+\s?)*$))/u,
      /^(?:a{0,30})*(?!a*)a$/u,
    ])
      assert.ok(isCostly(pattern, 64), String(pattern));
  });

  test("is known by counts of what may be empty", () => {
    for (const pattern of [
      /^(\w?){30}$/u,
      /^(\d?){20}$/u,
      /^(a?){30}a{30}$/u,
      /^(?:a*){15}b$/u,
      /^(?:a?b?){20}c$/u,
      /^(?:|a){25}b$/u,
      /^(?:|){30}$/u,
      /^a(?:(?:|){30})*c/u,
      /^(?:(?=a)|){30}c/u,
      /^(?!(a?){30}b)/u,
      /(?<=b(a?){30})c/u,
      /^(a?){1000}$/u,
      /^(?:(a?){100}){100}$/u,
      /^(?:a?){25,}b$/u,
      new RegExp(`^${"a?".repeat(24)}a{24}$`, "u"),
      new RegExp(`^${"(?:a|aa)".repeat(30)}$`, "u"),
    ])
      assert.ok(isCostly(pattern, 64), String(pattern));
  });

  test("is fast for texts that are short enough", () => {
    for (const source of ["^(\\w?){30}$", "^(a+)+$", "^(?:a|a)*$"]) {
      assert.ok(!isCostly(new RegExp(source, "u"), 4), source);
      assert.ok(checkedPattern(source, "", { maxLength: 4 })("aaaa"), source);
    }
  });

  test("runs on RE2, or is refused with the remedy where RE2 cannot express it", () => {
    assert.ok(checkedPattern("^(\\w?){30}$", "", { maxLength: 64 })("a".repeat(30)));
    assert.ok(!checkedPattern("^(\\w?){30}$", "", { maxLength: 64 })("a".repeat(31)));
    for (const source of ["^(?=(a?){30}$)a{30}$", "^(?:a?){1001}$", "^(a+)(\\1|a)*$"])
      assert.throws(() => checkedPattern(source, "/a", { maxLength: 64 }), {
        code: "SCHEMA_UNSUPPORTED",
        message:
          /^Schema at '\/a': pattern .* can take more than a million steps for a text of 64 characters; RE2.* no look-around, no backreference and no repetition above 1000; .* smaller maxLength$/,
      });
  });

  test("is refused where RE2 would take long, too, for the longest text", () => {
    for (const source of ["^(\\w?){1000}$", "^(?:(?:a?b?){30}){30}$"])
      assert.throws(() => checkedPattern(source, ""), {
        code: "SCHEMA_UNSUPPORTED",
        message: /for a text of 10000 characters; it is too large for RE2, .* smaller maxLength$/,
      });
    assert.ok(checkedPattern("^(\\w?){1000}$", "", { maxLength: 1000 })("a".repeat(1000)));
  });

  test("counts units for a pattern that sees units, of which a character may have two", () => {
    const source = "^(?=(?:[a-z]+)+$)[a-z\\-]{1,12}";

    assert.ok(checkedPattern(source, "", { maxLength: 12 })("abc"));
    assert.throws(() => checkedPattern(source, "", { maxLength: 12, flags: "" }), {
      code: "SCHEMA_UNSUPPORTED",
    });
  });
});

describe("the most steps of a pattern", () => {
  test("are taken by no text, whatever the pattern", () => {
    let bounded = 0;
    const letters = fc.array(fc.constantFrom("a", "b"), { maxLength: LENGTH });
    fc.assert(
      fc.property(anyPattern, letters, (pattern, random) => {
        const source = sourceOf(pattern);
        const most = mostSteps(new RegExp(`^(?:${source})`, "u"), LENGTH);
        if (most === Number.POSITIVE_INFINITY) return;
        bounded += 1;
        for (const word of ["a", "b", "ab", "aab", "abb", random.join("") || "ba"]) {
          const text = word.repeat(LENGTH).slice(0, LENGTH);
          const limit = Math.ceil(most * VISITS_A_STEP);
          assert.ok(
            stepsOf(pattern, text, limit) < limit,
            `${source} takes more than ${most} steps for ${text}`,
          );
        }
      }),
      { numRuns: 2000, seed: 1 },
    );
    assert.ok(bounded > 1500, `${bounded} patterns have a bound`);
  });

  test("are seen by the matcher that counts steps, too", () => {
    const a = { kind: "character", of: "a" } as const;
    const loop = { kind: "repetition", of: a, min: 1, max: Number.POSITIVE_INFINITY } as const;

    assert.equal(stepsOf({ ...loop, of: loop }, "a".repeat(LENGTH), 3_000_000), 3_000_000);
    assert.ok(stepsOf(loop, "a".repeat(LENGTH), 3_000_000) < 200);
  });

  test("are few for what people write every day", () => {
    const daily = [
      /^[^@ ]+@[^@ ]+$/u,
      /^[a-z]+(-[a-z]+)*$/u,
      /^(foo|far|baz)*$/u,
      /^(?:[^"\\]|\\.)*$/u,
      /^\d{4}-\d{2}$/u,
    ];
    const repeated = [
      /^(?:[a-z0-9]+\.)+[a-z]{2,}$/u,
      /^(ab|c){2}$/u,
      /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u,
      /^(\d{1,3}\.){3}\d{1,3}$/u,
      /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/u,
      /^#(?:[0-9a-f]{3}){1,2}$/iu,
      /^[a-z]+(?:[A-Z][a-z]*)*$/u,
      /^(?:\+\d{1,3} )?(?:\d{2,4}[ -])*\d{2,4}$/u,
      /^(?:[\w-]+=[^;]*; )*$/u,
      /^(a{0}b|c)*$/u,
    ];
    const formats = [
      /^\d{1,3}(\.\d{1,3}){0,3}$/u,
      /^v?\d+(?:\.\d+){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/u,
      /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T\d{2}(?::\d{2}){1,2}(?:\.\d{1,9})?Z?)?$/u,
      /^(?:\d{1,2}[/.-]){2}\d{4}$/u,
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/u,
      /^#(?:[0-9a-fA-F]{3,4}){1,2}$/u,
      /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/u,
      /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u,
      /^(?:\+?\d{1,3}[- ]?)?(?:\(\d{1,4}\)[- ]?)?\d{2,4}(?:[- ]\d{2,4}){1,3}$/u,
      /^(?:\d{3}[- ]?){2}\d{4}$/u,
      /^(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$/u,
      /^(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}$/u,
      /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?:\S){8,64}$/u,
      /^(?!(?:admin|root)$)[a-z]+(?:_[a-z]+)*$/u,
      /^(?:\d{4}[ -]?){3}\d{4}$/u,
      /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?$/u,
      /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[^\s]*)?$/u,
      /^(?:(?:[ab]{1,9}x){3}){3}$/u,
      /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?::\d{1,5})?$/u,
    ];
    const lookingAround = [
      /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[@$!%*?&])[A-Za-z\d@$!%*?&]{8,}$/u,
      /^(?!.*\.\.)(?!.*\.$)[^\W][\w.]{0,29}$/u,
      /^(["'])(?:(?!\1).)*\1$/u,
      /^foo(?=.*bar).*$/u,
      /\bfoo\b/u,
    ];
    const copied = [/^[a-z]{1,20}[a-z]{1,200}$/u, /^.{1,255}@.{1,63}$/u, /^.*a.{10}$/u];
    for (const pattern of [...daily, ...repeated, ...formats, ...lookingAround, ...copied])
      assert.ok(!isCostly(pattern, 10_000), String(pattern));
  });
});
