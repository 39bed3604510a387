import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

interface Place {
  readonly id: string;
  readonly file: string;
}

const ID = "[A-Z]{1,2}[1-9]";
const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));

/** The comment that a file begins with. */
const headOf = (text: string): string => /^(?:\/\/.*\n)*/.exec(text)?.[0] ?? "";

/** What is said in comments, a line each. Texts of the program may look like an id. */
const commentsOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => /^\s*\/?\*+(.*)|(?:^|\s)\/\/(.*)/.exec(line)?.[0] ?? []);

/** `// E2: what it is about`, `(E2)`, `(E2, F1)`. */
const citedIn = (line: string): readonly string[] => {
  const [, own] = new RegExp(`// (${ID}): `).exec(line) ?? [];
  const lists = [...line.matchAll(new RegExp(`\\((${ID}(?:, ${ID})*)\\)`, "g"))];
  return [...(own === undefined ? [] : [own]), ...lists.flatMap(([, list = ""]) => list.split(", "))];
};

const numbered: Place[] = [];
const cited: Place[] = [];
for (const file of [...sourcesIn("src"), ...sourcesIn("native-tests")]) {
  const text = readFileSync(file, "utf8");
  const heads = headOf(text).matchAll(new RegExp(`^// {3}(${ID})\\. `, "gm"));
  if (file.startsWith("src")) numbered.push(...[...heads].map(([, id = ""]) => ({ id, file })));
  cited.push(...commentsOf(text).flatMap((line) => citedIn(line).map((id) => ({ id, file }))));
}

describe("A sentence numbered at the head of a file", () => {
  test("has a number of its own", () => {
    const ids = numbered.map(({ id }) => id);

    assert.ok(ids.length > 20);
    assert.deepEqual(
      numbered.filter(({ id }, at) => ids.indexOf(id) !== at),
      [],
    );
  });

  test("is cited by the test that would notice its loss", () => {
    const inTests = new Set(cited.filter(({ file }) => file.startsWith("native-tests")).map(({ id }) => id));

    assert.deepEqual(
      numbered.filter(({ id }) => !inTests.has(id)),
      [],
    );
  });

  test("is there where it is cited", () => {
    const known = new Set(numbered.map(({ id }) => id));

    assert.deepEqual(
      cited.filter(({ id }) => !known.has(id)),
      [],
    );
  });
});
