import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";

import { templates } from "../../../src/cli/commands/templates.js";
import { pageAt, textsIn } from "../../docs/page.js";
import { folderWith } from "../../support/config-folder.js";
import { fromRoot } from "../../support/root.js";
import { runCommand } from "../../support/run-command.js";
import { bareEnvironment } from "../../support/run-program.js";

const framework = (...args: readonly string[]) => runCommand(args);

/** From source: what is compiled for the tests has templates in JavaScript. */
const fromSource = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(
    process.execPath,
    [
      ...["--conditions=framework-source", "--import", import.meta.resolve("tsx")],
      ...[fromRoot("src/cli/main.ts"), "new", ...args],
    ],
    { cwd, encoding: "utf8", env: bareEnvironment() },
  );

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

describe("framework new", () => {
  test("writes a template with what all projects have, as docs/start.md shows it, and says what to type next", () => {
    const cwd = folderWith({ "framework-0.30.0.tgz": "" });
    const tarball = ["--framework", "framework-0.30.0.tgz"];
    const told = fromSource(cwd, "@acme/shop", "--template", "worker", "--dir", "a shop", ...tarball);
    const folder = join(cwd, "a shop");
    const own = JSON.parse(readFileSync("package.json", "utf8"));

    assert.match(
      told,
      /^@acme\/shop is in .*\/a shop\. Next:\n\n {2}cd "a shop"\n {2}npm install\n {2}npm test\n {2}npm run dev\n$/,
    );
    assert.deepEqual(
      filesOf(folder),
      [
        ...filesOf(fromRoot("examples/templates/worker")),
        ...[".gitignore", "package.json", "tsconfig.json"],
      ].sort(),
    );
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const { name, dependencies, devDependencies } = manifest;
    const { libsql, tsx, typescript, "@types/node": node } = own.devDependencies;
    assert.equal(name, "@acme/shop");
    assert.deepEqual(dependencies, { framework: "file:../framework-0.30.0.tgz", libsql });
    assert.deepEqual(devDependencies, { "@types/node": node, tsx, typescript });

    const [shownManifest = "", shownTsconfig = ""] = textsIn(pageAt("docs/start.md"), "json");
    const tsconfig = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8"));
    const harbour = {
      name: "harbour",
      dependencies: { framework: "file:../framework/framework-0.30.0.tgz" },
    };
    assert.deepEqual(JSON.parse(shownManifest), { ...manifest, ...harbour });
    assert.deepEqual(JSON.parse(shownTsconfig), tsconfig);
  });

  test("has a template for each folder of examples/templates", () => {
    assert.deepEqual([...templates.keys()].sort(), readdirSync(fromRoot("examples/templates")).sort());
  });

  test("is 2 for what cannot be used, says why, and writes nothing", async () => {
    const full = folderWith({ "a.txt": "" });
    const api = ["--template", "api"];
    const mistakes: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [[], /: framework new shop --template api/],
      [["shop"], /the template is missing: --template is one of\n\n {6}api +books.*\n {6}worker/],
      [["shop", "--template", "apo"], /there is no template 'apo'; did you mean api\?/],
      [["shop", "--template", "rails"], /there is no template 'rails'; --template is one of\n\n {6}api/],
      [["Shop", ...api], /'Shop' .*capital letters: shop\. --dir/],
      [[".shop", ...api], /a dot or an underscore/],
      [["my shop", ...api], /small letters, digits, hyphens/],
      [["a/b", ...api], /small letters, digits, hyphens/],
      [["@Acme/b", ...api], /it has capital letters: @acme\/b/],
      [["x".repeat(215), ...api], /it is longer than 214 characters/],
      [["http", ...api], /another module has this name/],
      [["framework", ...api], /another module has this name/],
      [["shop", ...api, "--dir", full], /is not empty, it has a\.txt: name another folder by --dir/],
      [["shop", ...api, "--dir", join(full, "a.txt")], /a\.txt is a file: .*by --dir/],
      [["shop", ...api, "--dir", join(full, "b"), "--framework", "no.tgz"], /no file or folder no\.tgz/],
    ];
    for (const [args, message] of mistakes) {
      const { status, stdout, stderr } = await framework("new", ...args);

      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
    }
    assert.deepEqual(readdirSync(full), ["a.txt"]);
  });
});
