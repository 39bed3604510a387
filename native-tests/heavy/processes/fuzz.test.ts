// `framework fuzz` as a program, and the file that it writes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { moduleOf, moduleRoot } from "../../support/root.js";
import { bareEnvironment, programArguments, textArguments } from "../../support/run-program.js";

/** Where a written test finds the package by its name. */
const folder = mkdtempSync(join(moduleRoot, "fuzzed-"));
after(() => rmSync(folder, { recursive: true }));

const { NODE_TEST_CONTEXT, ...bare } = bareEnvironment();

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: folder, encoding: "utf8", env: { ...bare, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, stdout, stderr };
}

const fuzz = (...args: readonly string[]): string[] =>
  programArguments("src/cli/main.ts", "fuzz", moduleOf("native-tests/support/faulty-app.ts"), ...args);

/** What reads TypeScript, where the tests run from source. */
const READING = textArguments("").slice(0, -3);

describe("framework fuzz", () => {
  test("writes a test that fails until what it found is mended", () => {
    const found = node(fuzz("--route", "POST /stray", "--seed", "1", "--runs", "30"), {
      FRAMEWORK_PROFILE: "test",
    });

    assert.deepEqual([found.status, found.stderr], [1, ""]);
    assert.match(found.stdout, /^POST \/stray: .*outside of every run: nothing awaits this \(\d+ times\)$/m);
    assert.match(found.stdout, /^seed 1: 1 failure$/m);
    assert.match(found.stdout, /^The requests are in fuzz-1\.test\.mjs: node .*--test fuzz-1\.test\.mjs$/m);
    const written = readFileSync(join(folder, "fuzz-1.test.mjs"), "utf8");
    assert.match(written, /\{"route":"POST \/stray","json":\{"sku":"a","qty":51\}\}/);
    const failed = node([...READING, "--test", "fuzz-1.test.mjs"]);
    assert.equal(failed.status, 1, failed.stderr);
    assert.match(failed.stdout, /nothing awaits this/);
    writeFileSync(join(folder, "mended.test.mjs"), written.replace('"qty":51', '"qty":50'));
    assert.equal(node([...READING, "--test", "mended.test.mjs"]).status, 0);
  });

  test("sends nothing in production, unless effects are allowed", () => {
    const refused = node(fuzz());

    assert.deepEqual([refused.status, refused.stdout], [2, ""]);
    assert.match(refused.stderr, /the profile is production .*set FRAMEWORK_PROFILE=test.*--allow-effects/);
    assert.equal(node(fuzz("--allow-effects", "--route", "/orders", "--runs", "2")).status, 0);
  });
});
