// scripts/test.mjs with --retry: what chance decides does not stop others, and is told.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { fromRoot } from "../../support/root.js";

const passes = `import { test } from "node:test";
test("passes", () => {});`;

const fails = `import { test } from "node:test";
test("passes beside it", () => {});
test("never comes true", () => { throw new Error("as it always does"); });`;

/** Fails the first time, as what depends on the machine may. */
const passesLater = `import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
test("comes true later", () => {
  const mark = new URL(import.meta.url + ".tried");
  if (existsSync(mark)) return;
  writeFileSync(mark, "");
  throw new Error("as it did at first");
});`;

const ends = `console.error("it goes down");
process.exit(3);`;

const late = `import { test } from "node:test";
test("ends first", () => { setTimeout(() => { throw new Error("too late"); }); });
test("passes beside it", () => new Promise((resolve) => setTimeout(resolve, 50)));`;

const lacks = `import { test } from "node:test";
test("asks for more", { skip: "there is no such program" }, () => {});`;

describe("the tests with a second try", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-test-second-try-"));
  after(() => rmSync(folder, { recursive: true }));
  let count = 0;

  /** Runs a project with files of these texts. */
  async function run(texts: Readonly<Record<string, string>>, env = {}, options = ["--retry"]) {
    count += 1;
    const project = join(folder, String(count));
    mkdirSync(join(project, "native-tests"), { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module", "exports": {}, "imports": {} }');
    for (const [name, text] of Object.entries(texts))
      writeFileSync(join(project, `native-tests/${name}.test.ts`), text);
    // As from a shell: what the runner of this test tells its children is not for those.
    const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, NO_SKIPS, ...rest } = process.env;
    const args = [fromRoot("scripts/test.mjs"), ...options, "--notes", "notes.txt", "native-tests"];
    const child = spawn(process.execPath, args, {
      cwd: project,
      env: { ...rest, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    const [code] = await once(child, "close");
    return { code, stdout, noted: readIf(join(project, "notes.txt")) };
  }

  test("passes what passes then, and names it last of all", async () => {
    const { code, stdout, noted } = await run({ good: passes, shaky: passesLater });

    assert.equal(code, 0);
    assert.match(noted, /passed only at the second try: \S*shaky\.test\.ts: comes true later\n/);
    assert.match(noted, /as it did at first\n +at .*shaky\.test\.ts/);
    assert.ok(!noted.includes("good"));
    assert.ok(stdout.includes(noted), stdout.slice(-500));
    assert.match(stdout, /^ok .*good\.test\.ts$/m);
  });

  test("fails what fails twice, and says why last of all, beside what passed then", async () => {
    const { code, stdout, noted } = await run({ bad: fails, down: ends, shaky: passesLater });

    assert.equal(code, 1);
    assert.match(noted, /second try: \S*shaky\.test\.ts/);
    assert.match(
      noted,
      /What failed:\n(.*\n)*.*bad\.test\.ts: never comes true\n.*\n +as it always does\n +at .*bad/,
    );
    assert.match(noted, /down\.test\.ts: the file itself\n.*\n +It ended its process: 3\n +it goes down\n/);
    assert.ok(stdout.includes(noted), stdout.slice(-500));
  });

  test("is for no more than three files", async () => {
    const { code, noted } = await run({ a: passesLater, b: passesLater, c: passesLater, d: passesLater });

    assert.equal(code, 1);
    assert.match(noted, /^\n4 files failed: more than the 3 that get a second try/);
    assert.equal(noted.match(/: comes true later\n/g)?.length, 4);
  });

  test("is asked for", async () => {
    const { code, noted } = await run({ shaky: passesLater }, {}, []);

    assert.equal(code, 1);
    assert.match(noted, /^\nWhat failed:\n.*shaky\.test\.ts: comes true later\n/);
  });

  test("fails a test whose error came after its end, by its name", async () => {
    const { code, noted } = await run({ late, good: passes });

    assert.equal(code, 1);
    assert.match(
      noted,
      /late\.test\.ts: an error after its test had ended\n.*late\.test\.ts:2:1\)\n.*"ends first".*too late/,
    );
  });

  test("does not make up for what NO_SKIPS=1 forbids", async () => {
    const texts = { shaky: passesLater, lacking: lacks };
    const allowed = await run(texts);
    const forbidden = await run(texts, { NO_SKIPS: "1" });

    assert.deepEqual([allowed.code, forbidden.code], [0, 1]);
    assert.match(allowed.stdout, /lacks a program:\n {2}asks for more \(there is no such program\)/);
    assert.match(forbidden.noted, /^\nNO_SKIPS is set/);
  });
});

function readIf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
