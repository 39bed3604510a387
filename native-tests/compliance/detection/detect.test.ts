import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";
import { detect } from "framework/compliance";

import { LABELLED_NAMES } from "./labelled-names.js";
import { LABELLED_VALUES, REGIONS } from "./labelled-values.js";
import { randomValues } from "./random-values.js";

type Labelled = readonly (readonly [unknown, string])[];

/** Precision and recall of the kinds, and what was wrong. */
function judged(labelled: Labelled, kindsOf: (value: unknown) => readonly string[]) {
  const wrong: string[] = [];
  const counts = { found: 0, right: 0, wanted: 0 };
  for (const [value, kind] of labelled) {
    const kinds = kindsOf(value);
    const isFound = kinds.includes(kind);
    counts.found += kinds.length;
    counts.right += isFound ? 1 : 0;
    counts.wanted += kind === "none" ? 0 : 1;
    if (kind === "none" ? kinds.length > 0 : !isFound || kinds.length > 1)
      wrong.push(`${String(value)}: ${kind}, found ${kinds.join(", ") || "nothing"}`);
  }
  return { precision: counts.right / counts.found, recall: counts.right / counts.wanted, wrong };
}

const byName = (name: unknown): readonly string[] =>
  detect({ [name as string]: "x" }).map(({ kind }) => kind);

const byValue = (value: unknown): readonly string[] =>
  detect({ field: value }, { regions: REGIONS }).map(({ kind }) => kind);

describe("detect", () => {
  test("knows the names of the labelled set", () => {
    assert.deepEqual(judged(LABELLED_NAMES, byName), { precision: 1, recall: 1, wrong: [] });
  });

  test("knows the values of the labelled set", () => {
    assert.deepEqual(judged(LABELLED_VALUES, byValue), { precision: 1, recall: 1, wrong: [] });
  });

  for (const seed of [11, 12, 13])
    test(`finds 98 of 100 made-up values, with 2 of 100 wrong at most: seed ${seed}`, () => {
      const made = randomValues(seed, 20).map(({ value, kind }) => [value, kind] as const);

      const { precision, recall, wrong } = judged(made, byValue);

      assert.ok(precision >= 0.98 && recall >= 0.98, `${precision} ${recall}\n${wrong.join("\n")}`);
    });
});

describe("A finding of detect", () => {
  const found = (value: unknown) => detect(value).map(({ pointer, kind }) => `${pointer} ${kind}`);

  test("has a pointer to its place, with ~ and / escaped", () => {
    const places = found({ "a/b": [{ "c~d": "alice@example.com" }] });

    assert.deepEqual(places, ["/a~1b/0/c~0d email"]);
  });

  test("names a text alone by the empty pointer", () => {
    assert.deepEqual(found("alice@example.com"), [" email"]);
  });

  test("shows no key that is personal data itself", () => {
    assert.deepEqual(found({ "alice@example.com": { total: 3 } }), ["/[redacted] email"]);
  });

  test("is surer of a whole value than of one inside a text, and surest where the name agrees", () => {
    const [named, whole, inside] = ["email", "note", "note"].map((name, i) => {
      const text = i === 2 ? "to alice@example.com, please" : "alice@example.com";
      return detect({ [name]: text })[0]?.confidence ?? 0;
    });

    assert.ok((named ?? 0) > (whole ?? 0) && (whole ?? 0) > (inside ?? 1), `${named} ${whole} ${inside}`);
  });

  test("takes a bare name for a person's only in a person's object", () => {
    assert.deepEqual(found({ customer: { name: "x" } }), ["/customer/name name"]);
    assert.deepEqual(found({ name: "x", phone: "1" }), ["/name name", "/phone phone"]);
    assert.deepEqual(found({ product: { name: "x" } }), []);
  });

  test("is not made for a switch of a personal name", () => {
    assert.deepEqual(found({ email: true }), []);
  });

  test("covers a list under the name of its property", () => {
    assert.deepEqual(found({ phones: ["x"] }), ["/phones phone"]);
  });
});

describe("The regions of detect", () => {
  test("make national telephone numbers count", () => {
    const german = { note: "030 1234567" };

    assert.deepEqual(detect(german), []);
    assert.equal(detect(german, { regions: ["DE"] })[0]?.kind, "phone");
  });

  test("make unseparated national numbers count", () => {
    const cpf = { note: "52998224725" };

    assert.deepEqual(detect(cpf), []);
    assert.equal(detect(cpf, { regions: ["BR"] })[0]?.kind, "tax_id");
  });

  test("that are none are refused with an example", () => {
    assert.throws(
      () => detect("", { regions: ["Germany"] }),
      /'Germany' is no region: give codes such as "DE"/,
    );
    assert.throws(() => detect("", { regions: "DE" as never }), /give a list of codes/);
  });
});

describe("The work of detect", () => {
  const texts = fc
    .array(fc.constantFrom("a", "@", ".", "1", " ", "+", "-", "(", ":", "/", "4111", "DE89", "030 ", "://"), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join(""));

  test("ends with the first 65 536 characters of a text", () => {
    const after = (length: number) => detect(`${" ".repeat(length)} alice@example.com `);

    assert.equal(after(65_500).length, 1);
    assert.deepEqual(after(65_536), []);
  });

  // A pattern that is quadratic in the text takes minutes here.
  test("is linear in a text, whatever is repeated in it", () => {
    fc.assert(
      fc.property(texts, (part) => {
        const long = part.repeat(Math.ceil(1_000_000 / part.length));

        assert.ok(detect({ long }, { regions: REGIONS }).length < 10);
      }),
      { numRuns: 60 },
    );
  });

  test("ends for values that are deep, wide or circular", () => {
    const deep = Array.from({ length: 10_000 }).reduce((inner) => ({ inner }), {} as unknown);
    const circular: Record<string, unknown> = { phone: "1" };
    circular["self"] = circular;

    assert.deepEqual(detect(deep), []);
    assert.equal(detect(circular).length, 1);
    assert.equal(detect({ list: Array.from({ length: 100_000 }, () => "a@example.com") }).length, 1000);
  });
});
