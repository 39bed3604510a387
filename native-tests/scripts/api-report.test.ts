// What changes of the public types ask of the changelog: `npm run api-report -- --check`.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { changelogState } = await import(fromRoot("scripts/api-changelog.mjs"));
const { apiChanges, plainReport } = await import(fromRoot("scripts/api-changes.mjs"));

const report = (...members: readonly string[]): string =>
  `import { A } from 'a';\n\nexport interface Order {\n${members.map((line) => `    ${line}\n`).join("")}}\n`;

describe("changes of the public types", () => {
  const before = report("readonly id: string;", "price(sku: string): number;");

  test("are the lines that are gone and those that are new, with their declaration", () => {
    const after = report("readonly id: number;", "price(sku: string): number;");

    assert.deepEqual(apiChanges(before, after), {
      gone: ["export interface Order {: readonly id: string;"],
      added: ["export interface Order {: readonly id: number;"],
    });
    assert.deepEqual(apiChanges(before, before), { gone: [], added: [] });
  });

  test("are additions where a signature has further optional parameters, not where it lost one", () => {
    const after = report("readonly id: string;", "price(sku: string, at?: Date, by?: string): number;");

    assert.deepEqual(apiChanges(before, after).gone, []);
    assert.equal(apiChanges(after, before).gone.length, 1);
  });

  test("find a member that moved to another declaration of the same text", () => {
    const after = `${report("price(sku: string): number;")}\nexport interface Shop {\n    readonly id: string;\n}\n`;

    assert.deepEqual(apiChanges(before, after).gone, ["export interface Order {: readonly id: string;"]);
  });

  test("are none for imports, comments, and numbers that tell names apart", () => {
    const after = before.replace("'a'", "'b'");
    const numbered = (n: number) => report(`readonly at: Place_${n};`);

    assert.deepEqual(apiChanges(before, `// Warning\n${after}`), { gone: [], added: [] });
    assert.deepEqual(apiChanges(numbered(2), numbered(3)), { gone: [], added: [] });
    assert.equal(plainReport("// @public (undocumented)\nexport type A = 1;\n"), "export type A = 1;\n");
  });
});

describe("the changelog", () => {
  let folder = "";
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: folder,
      stdio: "pipe",
    });
  const write = (api: string, ...lines: readonly string[]) => {
    mkdirSync(join(folder, "docs/api"), { recursive: true });
    writeFileSync(join(folder, "docs/api/core.api.md"), api);
    writeFileSync(
      join(folder, "CHANGELOG.md"),
      `# Changelog\n\n${lines.map((line) => `- ${line}\n`).join("")}`,
    );
  };
  const commit = (api: string, ...lines: readonly string[]) => {
    write(api, ...lines);
    git("add", ".");
    git("commit", "-q", "--allow-empty", "-m", "x");
  };
  const missing = (base?: string): string | undefined => changelogState(folder, base).missing;
  const one = report("readonly id: string;");
  const two = report("readonly id: string;", "readonly name: string;");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "api-"));
    git("init", "-q", "-b", "main");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("needs a breaking line where a public line is gone, and any line where one is new", () => {
    commit(two, "added: orders");
    write(one, "changed: orders", "added: orders");
    assert.equal(missing(), "breaking:");
    write(one, "breaking: orders have no name", "added: orders");
    assert.equal(missing(), undefined);

    commit(one, "added: orders");
    write(two, "added: orders");
    assert.equal(missing(), "added:, changed:, fixed: or breaking:");
    write(two, "fixed: orders have a name", "added: orders");
    assert.equal(missing(), undefined);
  });

  test("is still missing behind later commits, and found in them", () => {
    commit(two, "added: orders");
    commit(one, "added: orders");
    commit(one, "fixed: a typo", "added: orders");
    assert.equal(missing(), "breaking:");
    commit(one, "breaking: no names", "fixed: a typo", "added: orders");
    assert.equal(missing(), undefined);
  });

  test("counts a line that came before the commit of the report", () => {
    commit(two, "added: orders");
    commit(two, "breaking: no names", "added: orders");
    commit(one, "breaking: no names", "added: orders");

    assert.equal(missing(), undefined);
  });

  test("covers all commits since the base that is given", () => {
    commit(two, "added: orders");
    git("tag", "base");
    commit(one, "added: orders");
    commit(report("readonly id: string;", "readonly at: Date;"), "added: dates", "added: orders");

    assert.equal(missing(), undefined);
    assert.equal(missing("base"), "breaking:");
    assert.throws(() => missing("nowhere"), /--base nowhere is no commit/);
  });

  test("is not checked where the clone has no earlier commit, or that one no report", () => {
    commit(one, "added: orders");
    assert.match(changelogState(folder).note, /No earlier commit/);

    git("tag", "begin");
    git("rm", "-q", "-r", "docs/api");
    git("commit", "-q", "-m", "x");
    commit(two, "added: orders");
    assert.match(changelogState(folder).note, /has no docs\/api/);
  });
});
