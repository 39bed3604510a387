// scripts/command-line.mjs, in a script of its own and in every command of package.json that a
// wrong word could send off on its work.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";

const SCRIPT = `import { commandLine } from "${resolve("scripts/command-line.mjs")}";
const options = { often: { type: "string", default: "3" } };
const given = commandLine("the help", { options, words: true }, ({ values, words, count }) => {
  if (words.includes("bad")) throw new Error("'bad' is no word");
  return { values, words, often: count("often", 1) };
});
console.log(JSON.stringify(given));`;

async function run(command: string, args: readonly string[]) {
  // A suite of the benchmarks generates code, which need not be allowed here.
  const { NODE_OPTIONS: _, ...env } = process.env;
  // A command that does its work in place of telling its help is ended.
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 });
  const texts = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    texts.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    texts.stderr += text;
  });
  const [code] = await once(child, "close");
  return { code, ...texts };
}

describe("a script's command line", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-test-command-line-"));
  after(() => rmSync(folder, { recursive: true }));
  const script = join(folder, "script.mjs");
  writeFileSync(script, SCRIPT);
  const given = (...args: string[]) => run(process.execPath, [script, ...args]);

  test("gives options, words and whole numbers", async () => {
    const { code, stdout } = await given("one", "--often", "7", "two");

    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { values: { often: "7" }, words: ["one", "two"], often: 7 });
  });

  test("prints the help where it is asked for, and does nothing else", async () => {
    assert.deepEqual(await given("bad", "--help"), { code: 0, stdout: "the help\n", stderr: "" });
  });

  for (const [name, args, problem] of [
    ["an option that there is not", ["--offten", "1"], /^Unknown option '--offten'/],
    ["a number that is none", ["--often", "x"], "--often x: use a whole number, 1 or more\n\nthe help\n"],
    ["a fraction", ["--often", "1.5"], "--often 1.5: use a whole number, 1 or more\n\nthe help\n"],
    ["too small a number", ["--often", "0"], "--often 0: use a whole number, 1 or more\n\nthe help\n"],
    ["what the script refuses", ["bad"], "'bad' is no word\n\nthe help\n"],
  ] as const)
    test(`tells ${name} with the help behind, and ends with 2`, async () => {
      const { code, stdout, stderr } = await given(...args);

      assert.equal(code, 2);
      assert.equal(stdout, "");
      if (typeof problem === "string") assert.equal(stderr, problem);
      else assert.match(stderr, problem);
    });
});

describe("the project's commands", () => {
  // They have no options of their own.
  const others = ["start", "format"];
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };

  for (const name of Object.keys(scripts).filter((each) => !others.includes(each)))
    test(`npm run ${name} has a help, which names it`, async () => {
      const { code, stdout } = await run("npm", ["run", "--silent", name, "--", "--help"]);

      assert.equal(code, 0);
      const spoken = name === "test" ? "npm test" : `npm run ${name}`;
      assert.ok(stdout.includes(spoken), stdout.slice(0, 200));
    });

  for (const script of ["bench/compare.mjs", "bench/instructions.mjs"])
    test(`${script} has a help too`, async () => {
      const { code, stdout } = await run(process.execPath, [script, "--help"]);

      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`node ${script} [options]`), stdout.slice(0, 200));
    });
});
