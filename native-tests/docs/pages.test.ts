// What holds for each page. The programs that a page shows are files of examples/, which have tests of their own.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { Framework } from "framework";

import { anchorsOf, pages } from "./page.js";

const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { files: readonly string[] };

/** What `files` of package.json packs, tests of examples left out; the README is always packed. */
const isPacked = (path: string): boolean =>
  path === "README.md" ||
  files.some((entry) => path === entry) ||
  (!path.endsWith(".test.ts") && files.some((entry) => path.startsWith(`${entry}/`)));

for (const { path, text, blocks, links } of pages) {
  describe(path, () => {
    test("shows programs that are files, byte for byte, each under a link to it", () => {
      assert.equal(text.split(/^ *```/m).length - 1, blocks.length * 2);
      for (const { above, language, text: program } of blocks) {
        const [, file] = /^\[(examples\/\S+)\]\((?:\.\.\/)*\1\)$/.exec(above) ?? [];
        if (language !== "ts" && file === undefined) continue;

        assert.ok(file !== undefined && existsSync(file), `a link to a file, not ${above}`);
        assert.equal(program, readFileSync(file, "utf8"), file);
      }
    });

    test("links to files and sections that are there", () => {
      const lost = links.filter(({ file, anchor }) => {
        if (!existsSync(file)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).includes(anchor);
      });

      assert.deepEqual(lost, []);
    });
  });
}

describe("the pages of the package", () => {
  test("link to what is packed with them", () => {
    const lost = pages.flatMap(({ path, links }) =>
      links.filter(({ file }) => !isPacked(file)).map(({ file }) => `${path}: ${file}`),
    );

    assert.deepEqual(lost, []);
  });

  // The pages of the repository are for those who change it; the files of start.md are the reader's.
  test("name no file of the repository that is not packed", () => {
    const named = pages
      .filter(({ path }) => !/^(?:CHANGELOG|docs\/(?:architecture|start|decisions\/.*))\.md$/.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?<![\w./-])(?:src|native-tests|scripts|bench)\/[\w./*-]+/g)]
          .map(([name]) => name)
          .filter((name) => existsSync(name.replace(/\*.*$/, "")) && !isPacked(name))
          .map((name) => `${path}: ${name}`),
      );

    assert.deepEqual(named, []);
  });

  test("name each option of Framework.http()", () => {
    let known: readonly string[] = [];
    try {
      Framework.http({ none: 1 } as never);
    } catch (error) {
      known = /there are (.*)$/.exec((error as Error).message)?.[1]?.split(", ") ?? [];
    }
    const forUsers = pages
      .filter(({ path }) => path.startsWith("docs/") && path !== "docs/architecture.md")
      .map(({ text }) => text)
      .join("\n");

    assert.ok(known.includes("trailingSlash"));
    assert.deepEqual(
      known.filter((option) => !new RegExp(`\\b${option}\\b`).test(forUsers)),
      [],
    );
  });
});
