// The bundles of the package: what a program loads that imports `framework`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { root } from "../support/root.js";

interface Bundle {
  readonly name: string;
  readonly modules: readonly string[];
  /** Names of other bundles, and of packages. */
  readonly imports: readonly string[];
}

describe("the bundle of framework", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-bundle-"));
  after(() => rmSync(folder, { recursive: true }));
  const program = `import { bundle } from "./scripts/bundle.mjs";
    console.log(JSON.stringify(await bundle(${JSON.stringify(folder)})));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const bundles = new Map((JSON.parse(printed) as Bundle[]).map((one) => [one.name, one]));

  /** The bundles that are loaded with one, itself included. */
  const loadedWith = (entry: string): readonly Bundle[] => {
    const loaded = new Set([entry]);
    for (const name of loaded)
      for (const path of bundles.get(name)?.imports ?? []) if (bundles.has(path)) loaded.add(path);
    return [...loaded].map((name) => bundles.get(name) as Bundle);
  };
  const loaded = loadedWith("index.js");
  const modules = loaded.flatMap((one) => one.modules);
  const packages = new Set(
    loaded
      .flatMap(({ imports }) => imports)
      .filter((path) => !bundles.has(path) && !path.startsWith("node:")),
  );

  test("has neither the Inspector's server, nor what writes OpenAPI, nor the testing kit in it", () => {
    assert.ok(modules.includes("src/runtime/axon/axon.ts"));
    const unused =
      /^src\/(openapi\/(describe|document|served|schema-)|inspector\/(inspector|observed|server\/|peers\/|traces\/)|http\/testing\/test-app|runtime\/axon-test-kit)/;
    assert.deepEqual(
      modules.filter((name) => unused.test(name)),
      [],
    );
  });

  test("imports no package of many modules, and is few files itself", () => {
    assert.deepEqual([...packages], ["mrmime"]);
    assert.ok(loaded.length <= 3, `${loaded.length} files`);
  });

  test("loads no server with framework/core and framework/runtime", () => {
    for (const entry of ["core/index.js", "runtime/index.js"]) {
      const all = loadedWith(entry).flatMap((one) => one.modules);
      assert.deepEqual(
        all.filter((name) => /^src\/(http|store|audit|telemetry)\//.test(name)),
        [],
        entry,
      );
    }
  });

  test("has a file of their own for what threads begin with, without imports of the package", () => {
    for (const thread of ["pool/entry.js", "store/sqlite/sqlite-thread.js"])
      assert.deepEqual(
        loadedWith(thread).map(({ name }) => name),
        [thread],
      );
  });

  test("has the licences of what is copied into it", () => {
    const text = readFileSync(join(folder, "copied-packages.txt"), "utf8");

    assert.match(text, /^@sinclair\/typebox 0\.34\.52\n\n[\s\S]*permission notice/);
  });
});
