// The declarations of the package: `npm run build`.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { trimDeclarations } = await import(fromRoot("scripts/declarations.mjs"));

describe("the declarations of the package", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "framework-declarations-"));
    write(
      "package.json",
      '{ "exports": { "./http": { "default": "./dist/http/index.js" }, "./x.json": "./x.json" } }',
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const read = (file: string) => readFileSync(join(root, file), "utf8");

  for (const [name, written, expected] of [
    ["an import", 'import type { A } from "#core/a.js";', 'import type { A } from "../core/a.js";'],
    ["an export", 'export { A } from "#core/a.js";', 'export { A } from "../core/a.js";'],
    ["all exports", 'export * from "#core/a.js";', 'export * from "../core/a.js";'],
    ["a type in its place", 'type A = import("#core/a.js").A;', 'type A = import("../core/a.js").A;'],
    ["its own layer", 'export { A } from "#http/a.js";', 'export { A } from "./a.js";'],
  ] as const)
    test(`name ${name} by a relative path`, () => {
      write("dist/core/a.d.ts", "export type A = 1;");
      write("dist/http/a.d.ts", "export type A = 1;");
      write("dist/http/index.d.ts", `${written} // "#core/a.js"\n${written}`);

      trimDeclarations(root);

      assert.equal(
        read("dist/http/index.d.ts"),
        `/// <reference types="node" />\n${expected} // "#core/a.js"\n${expected}`,
      );
    });

  test("are those that an entry reaches, and other files stay", () => {
    write("dist/http/index.d.ts", 'export { A } from "./a.js";');
    write("dist/http/a.d.ts", 'export { A } from "#core/b.js";');
    write("dist/core/b.d.ts", 'import type { C } from "c"; export type A = C;');
    write("dist/core/unreached.d.ts", "export {};");
    write("dist/cli/main.d.ts", "export {};");
    write("dist/core/unreached.js", "");

    assert.equal(trimDeclarations(root), 3);

    assert.equal(read("dist/http/a.d.ts"), 'export { A } from "../core/b.js";');
    assert.ok(!existsSync(join(root, "dist/core/unreached.d.ts")));
    assert.ok(!existsSync(join(root, "dist/cli")), "a folder that is empty");
    assert.ok(existsSync(join(root, "dist/core/unreached.js")));
  });
});
