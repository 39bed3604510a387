import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";

import { parseSync } from "oxc-parser";

import { folderWith } from "../support/config-folder.js";
import { fromRoot } from "../support/root.js";
import { planned } from "./migrated.js";
import { packagesAfter, packagesBefore, TSCONFIG } from "./odd-packages.js";
import { oddSources, RULES } from "./odd-sources.js";

/** The files after the rules, and those that were left alone. */
async function migrated(files: Readonly<Record<string, string>>) {
  const { changes, stayed } = await planned(RULES, files);
  const after = new Map(changes.map((change) => [change.file.shown, change.after]));
  return { after: (file: string): string => after.get(file) ?? (files[file] as string), stayed };
}

/** What TypeScript says of sources with the types of these packages. */
function typeErrors(
  sources: Readonly<Record<string, string>>,
  packages: Readonly<Record<string, string>>,
): string {
  const cwd = folderWith({ ...sources, ...packages, "tsconfig.json": TSCONFIG });
  const { stdout, error } = spawnSync(fromRoot("node_modules/.bin/tsc"), ["-p", "."], {
    cwd,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  return stdout;
}

describe("odd sources", async () => {
  const first = await migrated(Object.fromEntries(oddSources.map(({ file, before }) => [file, before])));
  const second = await migrated(Object.fromEntries(oddSources.map(({ file, after }) => [file, after])));

  // All but names is equal to the byte, references keep their declarations, what is no reference
  // stays, and so do names that collide (MG1, MG2, MG3, MG4).
  for (const { file, after } of oddSources)
    test(`${file} is migrated, parses, and stays as it is at a second run`, () => {
      assert.equal(first.after(file), after);
      assert.equal(second.after(file), after);
      const lang = file.endsWith("js") ? "jsx" : undefined;
      const sourceType = file === "returning.js" ? "commonjs" : "module";
      const text = after.replace("\ufeff", "");
      assert.deepEqual(parseSync(file, text, { sourceType, ...(lang && { lang }) }).errors, []);
    });

  test("they type-check before, with the old packages, and after, with the new ones", () => {
    const before = Object.fromEntries(oddSources.map(({ file, before }) => [file, before]));
    const after = Object.fromEntries(oddSources.map(({ file, after }) => [file, after]));

    assert.equal(typeErrors(before, packagesBefore), "");
    assert.equal(typeErrors(after, packagesAfter), "");
  });

  test("none is left alone", () => {
    assert.deepEqual(first.stayed, []);
    assert.ok(oddSources.length >= 60);
  });
});
