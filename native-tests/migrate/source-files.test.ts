import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import fc from "fast-check";
import { globSource, pathTest } from "#migrate/glob.js";
import { sourceFiles } from "#migrate/source-files.js";
import { folderWith } from "../support/config-folder.js";

const below = (files: Readonly<Record<string, string>>, ...operands: readonly string[]): readonly string[] =>
  sourceFiles(folderWith(files), operands.length > 0 ? operands : ["."]).map(({ shown }) => shown);

describe("source files", () => {
  test("are those below a folder, without node_modules and .git", () => {
    const files = {
      "a.ts": "",
      "b/c.ts": "",
      "node_modules/d.ts": "",
      "b/node_modules/e.ts": "",
      ".git/config": "",
      ".x.ts": "",
    };

    assert.deepEqual(below(files), [".x.ts", "a.ts", "b/c.ts"]);
  });

  test("are without what .gitignore files name", () => {
    const files = {
      ".gitignore":
        "# built\ndist/\n*.gen.ts\n!kept.gen.ts\n/only-here.ts\ndeep/**/x.ts\na[0-9].ts\n\\#odd.ts\n",
      "sub/.gitignore": "local.ts\n!../only-here.ts\n",
      ...{
        "dist/a.ts": "",
        "sub/dist/b.ts": "",
        "c.gen.ts": "",
        "kept.gen.ts": "",
        "only-here.ts": "",
        "sub/only-here.ts": "",
      },
      ...{
        "deep/x.ts": "",
        "deep/1/2/x.ts": "",
        "a1.ts": "",
        "ab.ts": "",
        "#odd.ts": "",
        "sub/local.ts": "",
        "local.ts": "",
      },
      ...{ "dist.ts": "", "sub/dist.ts": "" },
    };

    assert.deepEqual(
      below(files).filter((name) => name.endsWith(".ts")),
      ["ab.ts", "dist.ts", "kept.gen.ts", "local.ts", "sub/dist.ts", "sub/only-here.ts"],
    );
  });

  test("are found at once beside a line of many wildcards", () => {
    const name = "a".repeat(200);
    const files = {
      ".gitignore": `${"*a".repeat(14)}b\n${"**/a*".repeat(9)}b\n*[!b]*x?z*.gen.ts\n`,
      [`${name}.ts`]: "",
      [`${name}b`]: "",
      "cxyz.gen.ts": "",
      "bxyz.gen.ts": "",
      "x*z.gen.ts": "",
    };

    assert.deepEqual(
      below(files).filter((shown) => shown !== ".gitignore"),
      [`${name}.ts`, "bxyz.gen.ts", "x*z.gen.ts"],
    );
  });

  test("mean the same with few wildcards and with many", () => {
    const piece = fc.constantFrom("a", "b", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "/", "\\*", ".");
    const glob = fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
    const path = fc
      .array(fc.constantFrom("a", "b", "/", "*", "."), { maxLength: 7 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(glob, fc.array(path, { maxLength: 4 }), (written, paths) => {
        const source = globSource(written, false);
        const pattern = new RegExp(`^(?:${source})$`, "us");
        for (const one of paths) assert.equal(pathTest(source)(one), pattern.test(one), `${written} ${one}`);
      }),
      { numRuns: 500 },
    );
  });

  test("of a folder in a repository are without what the folders above it ignore", () => {
    const files = {
      ".git/HEAD": "",
      ".gitignore": "*.gen.ts\n",
      "src/deep/a.gen.ts": "",
      "src/deep/b.ts": "",
    };

    assert.deepEqual(below(files, "src/deep"), ["src/deep/b.ts"]);
    assert.deepEqual(below(files, "src/deep/a.gen.ts", "src"), ["src/deep/a.gen.ts", "src/deep/b.ts"]);
  });

  test("are found once, and not through symbolic links", () => {
    const folder = folderWith({ "a/b.ts": "" });
    mkdirSync(join(folder, "c"));
    symlinkSync("../a", join(folder, "c/a"));
    symlinkSync("../a/b.ts", join(folder, "c/b.ts"));

    assert.deepEqual(
      sourceFiles(folder, [".", "a", "a/b.ts"]).map(({ shown }) => shown),
      ["a/b.ts"],
    );
  });

  test("of a path that is not there are an error", () => {
    assert.throws(() => below({}, "scr"), /there is no file or folder scr/);
  });
});
