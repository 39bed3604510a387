import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, test } from "node:test";

const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: readonly string[] };
const pages = [
  "README.md",
  ...readdirSync("docs", { recursive: true })
    .map((name) => join("docs", String(name)))
    .filter((name) => name.endsWith(".md")),
];

/** What `files` of package.json packs, tests of examples left out; the README is always packed. */
const isPacked = (path: string): boolean =>
  path === "README.md" ||
  files.some((entry) => path === entry) ||
  (!path.endsWith(".test.ts") && files.some((entry) => path.startsWith(`${entry}/`)));

describe("the pages of the package", () => {
  test("link to what is packed with them", () => {
    const lost = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => normalize(join(dirname(page), link)))
        .filter((path) => !isPacked(path))
        .map((path) => `${page}: ${path}`),
    );

    assert.deepEqual(lost, []);
  });

  // The page of the repository's layers is for those who change it; the files of start.md are the reader's.
  test("name no file of the repository that is not packed", () => {
    const named = pages
      .filter(
        (page) =>
          ![join("docs", "architecture.md"), join("docs", "start.md")].includes(page) &&
          !page.startsWith(join("docs", "decisions")),
      )
      .flatMap((page) =>
        [...readFileSync(page, "utf8").matchAll(/(?<![\w./-])(?:src|native-tests|scripts|bench)\/[\w./*-]+/g)]
          .map(([path]) => path)
          .filter((path) => existsSync(path.replace(/\*.*$/, "")) && !isPacked(path))
          .map((path) => `${page}: ${path}`),
      );

    assert.deepEqual(named, []);
  });
});
