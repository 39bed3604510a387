// Which files `npm test -- --changed` runs, in a small project with tests of its own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { fromRoot } from "../support/root.js";

const { STARTS } = await import(fromRoot("scripts/bundle.mjs"));

const SPAWN = `import { spawn } from "node:child_process"; import { once } from "node:events";
const start = (name) => spawn(process.execPath, [new URL(name, import.meta.url).pathname], { env: {} });`;

const PROJECT = {
  "package.json": JSON.stringify({
    name: "framework",
    type: "module",
    bin: { framework: "./dist/cli/main.js" },
    exports: { ".": { "framework-source": "./src/index.ts", default: "./dist/index.js" } },
    imports: {},
  }),
  ".gitignore": ".build\nnode_modules\n",
  "docs/till.md": "A till.\n",
  "examples/shown.ts": "export {};\n",
  "src/till.ts": `import { RATE } from "./rate.js";
const SEEN = new Map<number, number>();
const put = (n: number, is: number) => {
  SEEN.set(n, is);
  return is;
};
/** Doubles, but once. */
export const twice = (n: number): number => SEEN.get(n) ?? put(n, 2 * n);
export const taxed = (n: number): number => n + n * RATE;
export const half = (n: number): number => n / 2;
export const FIRST = taxed(1);
`,
  "src/rate.ts":
    "export const RATE = 1;\nexport const PRICE = 1;\nexport const UNUSED = 1;\nObject.freeze([1]);\n",
  "src/index.ts": 'export { PRICE } from "./rate.js";\nexport { half, taxed, twice } from "./till.js";\n',
  "native-tests/support/half.ts": 'import { half } from "framework";\nhalf(4);\n',
  "native-tests/support/waiting.ts": `import { half } from "framework";
console.log(half(4));
setInterval(() => {}, 1000);
`,
  "native-tests/twice.test.ts": tested('import { twice } from "framework";', "twice(2);"),
  "native-tests/started.test.ts": tested(SPAWN, 'await once(start("./support/half.js"), "close");'),
  "native-tests/killed.test.ts": tested(
    SPAWN,
    `const child = start("./support/waiting.js");
     await once(child.stdout, "data");
     child.kill("SIGKILL");
     await once(child, "close");`,
  ),
  "native-tests/page.test.ts": tested(
    'import { readFileSync } from "node:fs"; import { PRICE } from "framework";',
    'console.log(PRICE, ["docs/till.md", "examples/shown.ts"].map((file) => readFileSync(file, "utf8")));',
  ),
};

function tested(imports: string, code: string): string {
  return `import { test } from "node:test"; ${imports}\ntest("it", async () => { ${code} });\n`;
}

const ALL = ["killed", "page", "started", "twice"];

type Change = readonly [file: keyof typeof PROJECT, from: string, to: string];

describe("npm test -- --changed", () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-changed-"));
  after(() => rmSync(folder, { recursive: true }));

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }

  function run(...args: readonly string[]): string {
    const { NODE_V8_COVERAGE: _, ...env } = process.env;
    return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  }

  /** The names of the test files that each of the changes can affect. */
  function affected(changes: readonly Change[]): string[][] {
    const program = `import { readFileSync, writeFileSync } from "node:fs";
      import { Selection } from ${JSON.stringify(fromRoot("scripts/tests/changed.mjs"))};
      import { testFiles } from ${JSON.stringify(fromRoot("scripts/tests/plan.mjs"))};
      for (const [file, from, to] of ${JSON.stringify(changes)}) {
        const text = readFileSync(file, "utf8");
        writeFileSync(file, text.replace(from, to));
        console.log(JSON.stringify(new Selection().of(testFiles([]), [file]).files));
        writeFileSync(file, text);
      }`;
    const printed = run("--input-type=module", "-e", program).trim().split("\n");
    return printed.map((line) =>
      (JSON.parse(line) as string[]).map((file) => file.replace(/^native-tests\/|\.test\.ts$/g, "")),
    );
  }

  before(() => {
    for (const [file, text] of Object.entries(PROJECT)) write(file, text);
    for (const file of [...STARTS, "src/cli/main.ts"]) write(file, "export {};\n");
    symlinkSync(fromRoot("node_modules"), join(folder, "node_modules"));
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: folder });
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-qm", "Begin");
  });

  test("goes by what the functions ran, and without a map by imports and names", () => {
    const cases: readonly (readonly [change: Change, byMap: string[], byImports?: string[]])[] = [
      [["src/till.ts", "2 * n", "n + n"], ["killed", "twice"], ALL],
      // A killed program may have run all that it imports.
      [
        ["src/till.ts", "n / 2", "n * 0.5"],
        ["killed", "started"],
      ],
      // What runs when a module is loaded.
      [["src/till.ts", "n + n", "n + 1"], ALL],
      [["src/rate.ts", "[1]", "[2]"], ALL],
      [["src/rate.ts", "RATE = 1", "RATE = 2"], ALL],
      [["src/rate.ts", "PRICE = 1", "PRICE = 2"], ["page"], ALL],
      [["src/rate.ts", "UNUSED = 1", "UNUSED = 2"], []],
      [["src/till.ts", "Doubles", "Makes twice as much"], []],
      [["src/till.ts", "is: number", "is: 0 | number"], []],
      [["native-tests/support/half.ts", "half(4)", "half(2)"], ["started"], ["started"]],
      [["native-tests/twice.test.ts", "(2)", "(1)"], ["twice"], ["twice"]],
      [["docs/till.md", "A till", "One till"], ["page"], ["page"]],
      [["examples/shown.ts", "export", "// Shown.\nexport"], ["page"], ["page"]],
    ];
    const byImports = cases.filter(([, , files]) => files !== undefined);
    assert.match(run(fromRoot("scripts/test.mjs"), "--map"), /4 passed, 0 failed/);

    assert.deepEqual(
      affected(cases.map(([change]) => change)),
      cases.map(([, files]) => files),
    );
    rmSync(join(folder, ".build/coverage-map.json"));
    assert.deepEqual(
      affected(byImports.map(([change]) => change)),
      byImports.map(([, , files]) => files),
    );
  });
});
