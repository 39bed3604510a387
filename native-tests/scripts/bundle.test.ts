// The bundles of the package: what a program loads that imports `framework`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { root } from "../support/root.js";

interface Output {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly imports: readonly { readonly path: string; readonly kind: string; readonly external?: boolean }[];
}

describe("the bundle of framework", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-bundle-"));
  after(() => rmSync(folder, { recursive: true }));
  const program = `import { bundle } from "./scripts/bundle.mjs";
    console.log(JSON.stringify((await bundle(${JSON.stringify(folder)})).outputs));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const outputs = new Map<string, Output>(Object.entries(JSON.parse(printed)));
  const entry = [...outputs.keys()].find(
    (name) => name.endsWith("/index.js") && outputs.get(name)?.inputs["src/index.ts"],
  );

  /** The bundles that are loaded with it, and the packages that they import. */
  const loaded = new Set([entry as string]);
  const packages = new Set<string>();
  for (const name of loaded)
    for (const { path, kind, external } of outputs.get(name)?.imports ?? []) {
      if (kind !== "import-statement") continue;
      if (external !== true) loaded.add(path);
      else if (!path.startsWith("node:")) packages.add(path);
    }
  const modules = [...loaded].flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}));

  test("has neither the Inspector's server, nor what writes OpenAPI, nor the testing kit in it", () => {
    assert.ok(modules.includes("src/runtime/axon.ts"));
    const unused =
      /^src\/(openapi\/(describe|document|served|schema-)|inspector\/(inspector|observed|server\/|peers\/|traces\/)|http\/testing\/test-app|runtime\/axon-test-kit)/;
    assert.deepEqual(
      modules.filter((name) => unused.test(name)),
      [],
    );
  });

  test("imports no package of many modules, and is few files itself", () => {
    assert.deepEqual([...packages], ["mrmime"]);
    assert.ok(loaded.size < 80, `${loaded.size} files`);
  });

  test("has a file of their own for what threads begin with, without imports of the package", () => {
    for (const source of ["src/pool/entry.js", "src/store/sqlite-thread.ts"])
      assert.ok([...outputs.values()].some(({ inputs }) => inputs[source] !== undefined));
    const thread = [...outputs.keys()].find((path) => path.endsWith("/pool/entry.js")) as string;
    const beside = (name: string): readonly string[] =>
      (outputs.get(name)?.imports ?? []).flatMap(({ path }) =>
        outputs.has(path) ? [...Object.keys(outputs.get(path)?.inputs ?? {}), ...beside(path)] : [],
      );
    assert.deepEqual(beside(thread), []);
  });

  test("has the licences of what is copied into it", () => {
    const text = readFileSync(join(folder, "copied-packages.txt"), "utf8");

    assert.match(text, /^@sinclair\/typebox 0\.34\.52\n\n[\s\S]*permission notice/);
  });
});
