// What tests need beside Node.js: `npm run test:deps` installs it, on an image with nothing but that.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { failuresIn } = await import(fromRoot("scripts/tests/notes.mjs"));

/** Of essential Debian packages, and of Node.js. */
const EVERYWHERE = ["bash", "chown", "id", "mkfifo", "sh", "tar", "npm", "npx", "node"];

const CALLS =
  /\b(?:spawn|spawnSync|execFile|execFileSync|promisify\(execFile\)\)?|findProgram|skipWithout)\(\s*"([\w.-]+)"/g;

const sources = ["native-tests", "examples"].flatMap((folder) =>
  readdirSync(fromRoot(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(fromRoot(`${folder}/${name}`), "utf8")),
);

describe("npm run test:deps", () => {
  test("installs every program that a test starts", () => {
    const started = new Set(sources.flatMap((text) => [...text.matchAll(CALLS)].map(([, name]) => name)));
    const table = readFileSync(fromRoot("scripts/test-deps.mjs"), "utf8");
    const installed = [...table.matchAll(/^ {2}"?([\w-]+)"?: "/gm)].map(([, name]) => name as string);

    for (const program of ["curl", "git", "chromium"]) assert.ok(started.has(program), program);
    assert.deepEqual(
      [...started].filter((name) => ![...installed, ...EVERYWHERE].includes(name as string)),
      [],
    );
  });
});

describe("what failed", () => {
  const told = (about: string) =>
    failuresIn({ failed: [{ file: "a.test.ts", name: "a test", at: "a.test.ts:1", about: [about] }] });

  test("names a program that is missing, and what installs it", () => {
    let missing = "";
    try {
      execFileSync(["no", "such", "program"].join("-"));
    } catch (error) {
      missing = String(error);
    }

    assert.match(told(missing), /^no-such-program is not installed: npm run test:deps /m);
    assert.match(told("bash: line 1: curl: command not found"), /^curl is not installed/m);
    assert.doesNotMatch(told("1 !== 2"), /not installed/);
  });
});
