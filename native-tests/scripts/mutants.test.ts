// The faults that `npm run mutate` plants.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { mutantsOf } = await import(fromRoot("scripts/mutants.mjs"));

interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly line: number;
  readonly isMarked: boolean;
}

const mutants = (code: string): readonly Mutant[] => mutantsOf(code, "src/a.ts");

/** The source with each of its faults. */
const faulty = (code: string): readonly string[] =>
  mutants(code).map(({ start, end, text }) => code.slice(0, start) + text + code.slice(end));

describe("the faults of a source", () => {
  for (const [name, code, expected] of [
    ["a condition is negated or lost", "if (a) b = c;", ["; ", "if (!(a)) b = c;", "if (a) ;"]],
    ["a bound moves", "x = a < b;", [";", "x = a <= b;"]],
    ["an equality is turned", "x = a === b;", [";", "x = a !== b;"]],
    ["an extreme is the other one", "x = Math.min(a, b);", [";", "x = Math.max(a, b);"]],
    ["each side of a condition is lost", "x = a && b;", [";", "x = a;", "x = b;"]],
    ["a default is lost", "x = a ?? b;", [";", "x = a;"]],
    [
      "a function returns early",
      "function f() { g(); }",
      ["function f() { return; g(); }", "function f() { ; }"],
    ],
    ["a short function returns nothing", "const f = () => g();", ["const f = () => undefined;"]],
    [
      "an answer is turned",
      "function f(): boolean { return g(h => { return h; }); }",
      [
        "function f(): boolean { return; return g(h => { return h; }); }",
        "function f(): boolean { return true; }",
        "function f(): boolean { return g(h => { return; return h; }); }",
      ],
    ],
    [
      "a short answer is turned",
      "const f = (a: unknown): a is B => true;",
      ["const f = (a: unknown): a is B => false;"],
    ],
    [
      "a branch without a condition of its own is negated as a whole",
      "const x = a ? b : c;",
      ["const x = !(a) ? b : c;"],
    ],
  ] as const)
    test(`are such that ${name}`, () => {
      assert.deepEqual(
        faulty(code).map((text) => text.trim()),
        expected.map((text) => text.trim()),
      );
    });

  for (const [name, code] of [
    ["types", "type A = B extends C ? D : E; interface F { g(): H }"],
    ["what is thrown and its words", 'throw new FaultError(a ? "b" : "c");'],
    ["reports", "this.#log.warn(a ?? b); console.log(a && b); reportOnce(a < b);"],
    ["texts", `const a = \`\${b ? c : d}\`;`],
    ["the call of a base class", "class A extends B { constructor() { super(); } }"],
    ["the step of a loop", "for (const a = b; ; a.next()) {}"],
  ] as const)
    test(`leave ${name} alone`, () => {
      assert.deepEqual(faulty(code), []);
    });

  test("are marked where a comment beside the line or above it names the hole", () => {
    const code = `f(); // hole: anybody gets in
// hole: a token is read
// by the next client
g();
h();
`;

    assert.deepEqual(
      mutants(code).map(({ line, isMarked }) => [line, isMarked]),
      [
        [1, true],
        [4, true],
        [5, false],
      ],
    );
  });
});

describe("the marked lines of src", () => {
  const marked = readdirSync(fromRoot("src"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => [file, readFileSync(fromRoot(`src/${file}`), "utf8")] as const)
    .filter(([, code]) => code.includes("// hole: "));

  test("are at most 80: each is tried in turn, and more would come round too seldom", () => {
    const marks = marked.flatMap(([, code]) => code.match(/\/\/ hole: /g) ?? []);

    assert.ok(marks.length > 0 && marks.length <= 80, `${marks.length} are marked`);
  });

  for (const [file, code] of marked)
    test(`have a fault each in ${file}`, () => {
      const lines = new Set(mutants(code).flatMap(({ line, isMarked }) => (isMarked ? [line] : [])));

      assert.equal(lines.size, code.match(/\/\/ hole: /g)?.length);
    });
});
