// The bundles of the package: what a program loads that imports `framework`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { root } from "../support/root.js";

/** A module of calls that matter by what they throw or do, not by what they return. */
const PLANTED = `
const read = [];
const watched = { get value() { read.push("value"); return 1; } };
const attempt = (call) => { try { call(); return "passed"; } catch { return "threw"; } };
const decode = (x) => { decodeURIComponent(x); };
const parse = (x) => { JSON.parse(x); };
const format = (x) => { new Intl.DateTimeFormat(x); };
const getter = (x) => { x.value; };
let inside = 0;
try { decodeURIComponent("%zz"); } catch { inside += 1; }
try { JSON.parse("{"); } catch { inside += 1; }
try { new Intl.DateTimeFormat("no locale"); } catch { inside += 1; }
try { watched.value; } catch {}
getter(watched);
console.log(JSON.stringify({
  decode: attempt(() => decode("%zz")),
  parse: attempt(() => parse("{")),
  format: attempt(() => format("no locale")),
  getter: read.length === 2 ? "read" : "lost",
  inside,
}));
`;

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
    // The fourth has the bundler's helpers.
    assert.ok(loaded.length <= 4, `${loaded.length} files`);
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

  test("loads nothing of the rest of the package in threads", () => {
    const threads = ["pool/entry.js", "store/sqlite/sqlite-thread.js", "store/postgres/lease-thread.js"];
    for (const thread of threads)
      assert.deepEqual(
        loadedWith(thread).flatMap((one) =>
          one.modules.filter((name) => !/^src\/store\/threads\/|-thread\.ts$|^src\/pool\/entry/.test(name)),
        ),
        [],
        thread,
      );
  });

  test("keeps calls whose result is unused", () => {
    const planted = mkdtempSync(join(tmpdir(), "framework-planted-"));
    writeFileSync(join(planted, "planted.js"), PLANTED);
    const build = `import { rolldown } from "rolldown";
      import { KEEPS_CALLS } from "./scripts/bundle.mjs";
      const made = await rolldown({ input: ${JSON.stringify(join(planted, "planted.js"))}, platform: "node", ...KEEPS_CALLS.input });
      await made.write({ dir: ${JSON.stringify(join(planted, "dist"))}, format: "esm", ...KEEPS_CALLS.output });`;
    execFileSync(process.execPath, ["--input-type=module", "-e", build], { cwd: root });
    const printedBy = (file: string): unknown =>
      JSON.parse(execFileSync(process.execPath, [join(planted, file)], { encoding: "utf8" }));
    const kept = printedBy("dist/planted.js");
    rmSync(planted, { recursive: true });

    assert.deepEqual(kept, { decode: "threw", parse: "threw", format: "threw", getter: "read", inside: 3 });
  });

  test("has the licences of what is copied into it", () => {
    const text = readFileSync(join(folder, "copied-packages.txt"), "utf8");

    assert.match(text, /^@sinclair\/typebox 0\.34\.52\n\n[\s\S]*permission notice/);
  });
});
