// scripts/mutate.mjs, in a project of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { fromRoot } from "../../support/root.js";

const TESTED = `export function isShort(text: string): boolean {
  return text.length < 3;
}
`;

const tests = (...checks: readonly string[]) => `import assert from "node:assert/strict";
import { test } from "node:test";
import { isShort } from "../examples/a.js";
test("a text is short", () => {
${checks.join("\n")}
});`;

const ALL = ['assert.equal(isShort("ab"), true);', 'assert.equal(isShort("abc"), false);'];

describe("faults in a project", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-test-mutate-"));
  after(() => rmSync(folder, { recursive: true }));
  let count = 0;

  /** Plants faults in a project of one module and one test, which another one may replace before. */
  function run(module: string, test: string, options: readonly string[], later = test) {
    count += 1;
    const project = join(folder, String(count));
    const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, NODE_OPTIONS, ...env } = process.env;
    const started = (command: string, ...args: readonly string[]) =>
      spawnSync(command, args, { cwd: project, env, encoding: "utf8" });
    const write = (name: string, text: string) => {
      mkdirSync(join(project, name, ".."), { recursive: true });
      writeFileSync(join(project, name), text);
    };
    write("package.json", '{ "type": "module", "exports": {}, "imports": {} }');
    // Without src there is nothing to bundle.
    write("examples/a.ts", module);
    write("native-tests/a.test.ts", test);
    started("git", "init", "-q");
    started("git", "add", ".");
    started("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "all");
    started(process.execPath, fromRoot("scripts/test.mjs"), "--map");
    write("native-tests/a.test.ts", later);
    return started(process.execPath, fromRoot("scripts/mutate.mjs"), "--seed", "1", ...options, "examples");
  }

  test("are all noticed by tests of each answer", () => {
    const { status, stdout } = run(TESTED, tests(...ALL), []);

    assert.match(stdout, /\n3 of 3 faults noticed: 100 % /);
    assert.equal(status, 0);
  });

  test("are shown where no test notices them, and fail the run", () => {
    const { status, stdout } = run(TESTED, tests(ALL[0] as string), []);

    assert.match(stdout, /\nexamples\/a\.ts:2 {2}swap a comparison\n {2}- <\n {2}\+ <=\n/);
    assert.equal(status, 1);
  });

  test("in a marked line are all noticed, or the run fails", () => {
    const marked = TESTED.replace("  return", "  // hole: long texts pass\n  return");
    const few = run(marked, tests(ALL[0] as string), ["--marked"]);

    assert.match(few.stderr, /^2 of them in lines marked as holes in security/);
    assert.equal(few.status, 1);
    assert.equal(run(marked, tests(...ALL), ["--marked"]).status, 0);
  });

  test("count for nothing where the test fails without them", () => {
    const { status, stderr } = run(TESTED, tests(...ALL), [], tests("assert.fail();"));

    assert.match(stderr, /These tests fail without a fault too/);
    assert.notEqual(status, 0);
  });
});
