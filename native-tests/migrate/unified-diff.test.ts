import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { unifiedDiff } from "#migrate/unified-diff.js";
import { folderWith } from "../support/config-folder.js";

/** What git makes of the text by the diff. */
function patched(name: string, before: string, after: string): string {
  const folder = folderWith({ [name]: before });
  writeFileSync(join(folder, "x.patch"), unifiedDiff(name, before, after));
  execFileSync("git", ["apply", "--whitespace=nowarn", "x.patch"], { cwd: folder });
  return readFileSync(join(folder, name), "utf8");
}

const lines = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${text(i)}\n`).join("");

describe("a unified diff", () => {
  test("has three lines around each change, and one hunk for changes that are near", () => {
    const before = lines(30, String);
    const after = before
      .replace("\n5\n", "\nfive\n")
      .replace("\n9\n", "\n")
      .replace("\n25\n", "\n25\nmore\n");

    assert.equal(
      unifiedDiff("a/b.ts", before, after),
      `diff --git a/a/b.ts b/a/b.ts
--- a/a/b.ts
+++ b/a/b.ts
@@ -3,11 +3,10 @@
 2
 3
 4
-5
+five
 6
 7
 8
-9
 10
 11
 12
@@ -24,6 +23,7 @@
 23
 24
 25
+more
 26
 27
 28
`,
    );
  });

  for (const [what, name, before, after] of [
    ["CRLF", "a.ts", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"],
    ["a last line without an end", "a.ts", "a\nb", "a\nB"],
    ["an end that is added", "a.ts", "a\nb", "a\nb\n"],
    ["a byte order mark", "a.ts", "\ufeffa\n", "\ufeffb\n"],
    ["a text that becomes empty", "a.ts", "a\n", ""],
    ["a name with a space", "my file.ts", "a\n", "b\n"],
    ["a name with quotes", 'my "file".ts', "a\n", "b\n"],
    ["lines that are alike", "a.ts", "{\n}\n{\n}\n{\n}\n", "{\n}\n{\n  x\n}\n{\n}\n"],
    ["more changes than are looked for", "a.ts", lines(3000, (i) => `a${i}`), lines(3000, (i) => `b${i}`)],
  ] as const)
    test(`with ${what} is one that git applies`, () => {
      assert.equal(patched(name, before, after), after);
    });

  test("of texts drawn at random is one that git applies", () => {
    let state = 1;
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    for (let i = 0; i < 20; i += 1) {
      const before = lines(next(40), () => String(next(4)));
      const after = before.replace(
        /\d\n/g,
        (line) => (next(3) === 0 ? ["", `${line}x\n`, "y\n"][next(3)] : line) as string,
      );
      if (before !== after) assert.equal(patched("a.ts", before, after), after);
    }
  });
});
