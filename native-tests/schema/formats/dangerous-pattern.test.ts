import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { danger } from "#schema/formats/dangerous-pattern.js";
import { type Pattern, sourceOf, stepsOf } from "../../support/counting-matcher.js";

// What the ways through a bounded repetition may cost, with a polynomial on top; the
// cheapest exponential loop takes more for 24 characters.
const MOST_STEPS = 3_000_000;

const { pattern: anyPattern } = fc.letrec<{ pattern: Pattern }>((tie) => {
  const parts = fc.array(tie("pattern"), { minLength: 1, maxLength: 3 });
  const counts = fc.constantFrom([0, 1], [0, 4], [1, 3], [2, 2], [4, 4], [0, 9], [0, 30]);
  const endless = fc.constantFrom([0, Number.POSITIVE_INFINITY], [1, Number.POSITIVE_INFINITY]);
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

describe("danger of a pattern", () => {
  test("is seen in repetitions that are nested", () => {
    for (const pattern of [/^(a+)+$/u, /^(\w+\s?)*$/u, /(x+x+)+y/u, /^([a-z0-9]+[-_]?)+$/u, /^(a*b*)*$/u]) {
      assert.ok(danger(pattern), String(pattern));
    }
  });

  test("is seen in repeated choices that overlap", () => {
    for (const pattern of [/^(\w|\d)+$/u, /^(?:a|a)*$/u, /^(a|aa)+$/u, /^(\s|\n){0,50}$/u, /^(a|b|ab)*$/u]) {
      assert.ok(danger(pattern), String(pattern));
    }
  });

  test("is seen however deep the choice is nested", () => {
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
      assert.ok(danger(pattern), String(pattern));
  });

  test("is seen in repetitions that end, where there are many", () => {
    for (const pattern of [/^(a{1,30}){1,30}$/u, /^(\d{1,3})*$/u, /^(x{1,9}){9}$/u, /^(?:a|a){20}b$/u])
      assert.ok(danger(pattern), String(pattern));
  });

  test("is seen in small counts whose product is large", () => {
    for (const pattern of [
      /^(?:(?:a{0,9}){4}){4}b$/u,
      /^(?:(?:(?:a?){4}){4}){2}b$/u,
      /^(?:(?:(?:a{0,9}){4}){4}){4}b$/u,
      /^(?:(?:a*){4}){4}b$/u,
      /^(?:(?:a|a){4}(?:a|a){4}){3}b$/u,
      /^(?:a{0,9}){4}(?:(?:a{0,4}){2}){2}b$/u,
      /^(?:a|a){16}(?:a|a){16}b$/u,
    ])
      assert.ok(danger(pattern), String(pattern));
  });

  test("is seen in look-arounds, however deep", () => {
    for (const pattern of [
      /^(?=(?:a+)+b)/u,
      /^(?!(?:a|a)*b)c/u,
      /(?<=b(?:a+)+)c/u,
      /(?<!b(?:a|a)*)c/u,
      /^(?:x(?=(?:a+)+b))?/u,
      /^(?=a(?!(?:\w+\s?)*$))/u,
      /^(?:a{0,30})*(?!a*)a$/u,
    ])
      assert.ok(danger(pattern), String(pattern));
  });

  test("is in none that is let pass, whatever text it is given", () => {
    let passed = 0;
    fc.assert(
      fc.property(anyPattern, (pattern) => {
        const source = sourceOf(pattern);
        if (danger(new RegExp(`^(?:${source})c$`, "u")) !== undefined) return;
        passed += 1;
        for (const word of ["a", "b", "ab", "aab", "abb"]) {
          const text = word.repeat(24).slice(0, 24);
          assert.ok(
            stepsOf(pattern, text, MOST_STEPS) < MOST_STEPS,
            `${source} takes ${MOST_STEPS} steps for ${text}`,
          );
        }
      }),
      { numRuns: 3000, seed: 1 },
    );
    assert.ok(passed > 500, `${passed} patterns passed`);
  });

  test("is seen where the matcher that counts steps sees it", () => {
    const a = { kind: "character", of: "a" } as const;
    const loop = { kind: "repetition", of: a, min: 1, max: Number.POSITIVE_INFINITY } as const;

    assert.equal(stepsOf({ ...loop, of: loop }, "a".repeat(24), MOST_STEPS), MOST_STEPS);
    assert.ok(stepsOf(loop, "a".repeat(24), MOST_STEPS) < 200);
  });

  test("is not seen in what people write every day", () => {
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
      /^(\w+\s?){1,3}$/u,
      /^(?:(?:(?:(?:[ab]{1,9}x){3}){3}){3}y)+$/u,
      /^(?:(?:[ab]{1,9}x){3}){3}$/u,
      /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?::\d{1,5})?$/u,
    ];
    for (const pattern of [...daily, ...repeated, ...formats])
      assert.equal(danger(pattern), undefined, String(pattern));
  });
});
