// How a change is told from a comment: scripts/tests/functions.mjs.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

interface Parsed {
  readonly functions: readonly {
    readonly key: string;
    readonly name: string;
    readonly uses: readonly string[];
  }[];
  readonly exports: ReadonlyMap<string, { readonly hash: string }>;
  readonly outside: { readonly hash: string };
}

const { functionAt, functionsOf } = await import(fromRoot("scripts/tests/functions.mjs"));

const parse = (text: string, file = "src/part.ts"): Parsed => functionsOf(text, file);

/** The names of the functions of `before` whose keys `after` lacks. */
function changedFunctions(before: string, after: string): string[] {
  const keys = parse(after).functions.map(({ key }) => key);
  return parse(before)
    .functions.filter(({ key }) => !keys.includes(key))
    .map(({ name }) => name);
}

function exportsChanged(before: string, after: string): string[] {
  const now = parse(after).exports;
  return [...parse(before).exports]
    .filter(([name, { hash }]) => now.get(name)?.hash !== hash)
    .map(([name]) => name);
}

const NESTED = "export function outer(a) { const inner = () => a + 1; return inner(); }";

describe("the functions of a source", () => {
  test("are named by what they stand in", () => {
    const text = `class Till { #left = 1; constructor() {} get sum() { return 1 } #take() {} }
      const table = { find: () => 1 };
      export const map = (list) => list.map((one) => one);`;

    const names = parse(text).functions.map(({ name }) => name);

    assert.deepEqual(names, ["Till.constructor", "Till.get sum", "Till.#take", "table.find", "map", "map"]);
  });

  test("do not change with comments, white space and types", () => {
    const typed = `/** More. */
      export function outer(a: number): number {
        const inner = (): number => (a + 1) as number; // one more
        return inner();
      }`;

    assert.deepEqual(changedFunctions(NESTED, typed), []);
    assert.equal(parse(typed).outside.hash, parse(NESTED).outside.hash);
  });

  test("do not change with a function inside them", () => {
    assert.deepEqual(changedFunctions(NESTED, NESTED.replace("a + 1", "a + 2")), ["outer.inner"]);
  });

  test("do not change with a private method beside them, or a helper", () => {
    const before = "export class Till { take() { return 1 } }";
    const after = "const one = () => 1; export class Till { take() { return 1 } #give() {} }";

    assert.deepEqual(changedFunctions(before, after), []);
    assert.deepEqual(exportsChanged(before, after), []);
  });

  for (const [name, before, changed] of [
    ["an operator", "export const f = (a) => a < 1", "export const f = (a) => a <= 1"],
    [
      "a constant",
      "const LIMIT = 1; export const f = (a) => a < LIMIT",
      "const LIMIT = 2; export const f = (a) => a < LIMIT",
    ],
    [
      "a constant of a constant",
      "const A = 1; const B = [A]; export const f = () => B",
      "const A = 2; const B = [A]; export const f = () => B",
    ],
    [
      "the module of a name",
      'import { g } from "./a.js"; export const f = () => g()',
      'import { g } from "./b.js"; export const f = () => g()',
    ],
    ["a default", "export function f(a = 1) { return a }", "export function f(a = 2) { return a }"],
    ["an optional access", "export const f = (a) => a.b", "export const f = (a) => a?.b"],
    ["await", "export async function f(a) { return await a }", "export async function f(a) { return a }"],
    [
      "a field that the constructor sets",
      "class f { #a = 1; constructor() {} }",
      "class f { #a = 2; constructor() {} }",
    ],
  ] as const)
    test(`change with ${name}`, () => {
      assert.equal(changedFunctions(before, changed)[0]?.replace(".constructor", ""), "f");
    });

  test("with the same code have keys of their own", () => {
    const { functions } = parse("export const f = (a) => a.map((one) => one).map((one) => one)");

    assert.equal(new Set(functions.map(({ key }) => key)).size, 3);
  });

  test("are found by an offset, the innermost first", () => {
    const { functions } = parse(NESTED);

    assert.equal(functionAt(functions, NESTED.indexOf("a + 1")).name, "outer.inner");
    assert.equal(functionAt(functions, NESTED.indexOf("return inner")).name, "outer");
    assert.equal(functionAt(functions, NESTED.length), undefined);
  });

  test("name what they use of other modules, through constants too", () => {
    const text = `import { row } from "./table.js"; import * as all from "#core/all.js";
      const first = row(1); export const f = () => first; export const g = () => all.one;`;

    assert.deepEqual(
      parse(text).functions.map(({ uses }) => uses),
      [["row of ./table.js"], ["* of #core/all.js"]],
    );
  });
});

describe("what stands outside of functions", () => {
  test("is an exported constant, which changes alone", () => {
    const before = "export const A = 1; export const B = 2;";

    assert.deepEqual(exportsChanged(before, before.replace("2", "3")), ["B"]);
  });

  test("is a class, which changes with a method that others may look for", () => {
    const before = "export class Till { take() {} }";

    assert.deepEqual(exportsChanged(before, "export class Till { take() {} toJSON() {} }"), ["Till"]);
  });

  test("is a name from another module", () => {
    assert.deepEqual(exportsChanged('export { a } from "./a.js"', 'export { a } from "./b.js"'), ["a"]);
  });

  test("are statements that run when the module is loaded", () => {
    const [before, after] = ["const a = 1; start(a);", "const a = 2; start(a);"].map((text) => parse(text));

    assert.notEqual(before?.outside.hash, after?.outside.hash);
  });

  test("are the constants of a program, which may do something to get them", () => {
    const hashes = (file: string) =>
      ["const a = start(1);", "const a = start(2);"].map((text) => parse(text, file).outside.hash);

    assert.equal(new Set(hashes("native-tests/support/server.ts")).size, 2);
    assert.equal(new Set(hashes("src/part.ts")).size, 1);
  });
});
