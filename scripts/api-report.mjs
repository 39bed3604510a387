// `npm run api-report`: the public types of each entry of the package as text, in docs/api, so that a
// change of them is seen in a diff and has a line in the changelog.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { changelogState } from "./api-changelog.mjs";
import { apiChanges, plainReport } from "./api-changes.mjs";
import { commandLine } from "./command-line.mjs";

const { check, base } = commandLine(
  `npm run api-report [-- --check [--base REF]]

Builds the package, and writes the public types of each of its entries to docs/api.

  --check      Writes nothing. Fails if dist has other public types than docs/api, and if they
               changed since the base without a new line in CHANGELOG.md: "breaking:" where a
               public line is gone or changed, else "added:", "changed:" or "fixed:"
  --base REF   The commit to compare with. Default: the merge base with origin/main; on main the
               commit before the newest one that changed docs/api. Where the clone has no such
               commit, the changelog is not checked`,
  { options: { check: { type: "boolean" }, base: { type: "string" } } },
  ({ values }) => {
    if (values.base !== undefined && !values.check) throw new Error("--base belongs to --check");
    return values;
  },
);

const FOLDER = "docs/api";
/** Lines of each file. */
const SHOWN = 20;
const COMPILER = {
  target: "ES2023",
  lib: ["ES2023"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};
const REMEDY = `run "npm run api-report" and commit ${FOLDER}`;

if (!check) {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
if (!existsSync("dist/index.d.ts")) fail('dist is missing: run "npm run build"');

const made = await reports();
const committed = new Map(
  (existsSync(FOLDER) ? readdirSync(FOLDER) : []).map((name) => [
    name,
    readFileSync(join(FOLDER, name), "utf8"),
  ]),
);
if (!check) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of made) writeFileSync(join(FOLDER, name), text);
  console.log(`${FOLDER}: ${made.size} entries`);
} else {
  const differing = [...new Set([...made.keys(), ...committed.keys()])].filter(
    (name) => made.get(name) !== committed.get(name),
  );
  for (const name of differing) print(name, apiChanges(committed.get(name) ?? "", made.get(name) ?? ""));
  if (differing.length > 0) fail(`${FOLDER} is not up to date: ${REMEDY}`);
  checkChangelog();
}

async function reports() {
  // Half a second to load.
  const { CompilerState, Extractor, ExtractorConfig } = await import("@microsoft/api-extractor");
  const folder = resolve(".build/api");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const entries = Object.entries(exports)
    .filter(([, target]) => typeof target === "object")
    .map(([name, target]) => ({
      name: `${name === "." ? "framework" : name.slice("./".length).replaceAll("/", "-")}.api.md`,
      types: resolve(target.default.replace(/\.js$/, ".d.ts")),
    }));
  const files = entries.map(({ types }) => types);
  const silent = { default: { logLevel: "none" } };
  let compilerState;
  for (const { name, types } of entries) {
    const config = ExtractorConfig.prepare({
      configObjectFullPath: undefined,
      packageJsonFullPath: resolve("package.json"),
      configObject: {
        projectFolder: process.cwd(),
        mainEntryPointFilePath: types,
        newlineKind: "lf",
        // Its compiler is TypeScript 6: options of the package's declarations alone.
        compiler: { overrideTsconfig: { compilerOptions: COMPILER, files } },
        apiReport: {
          enabled: true,
          reportFileName: name,
          reportFolder: folder,
          reportTempFolder: join(folder, "new"),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: "error" } },
          extractorMessageReporting: silent,
          tsdocMessageReporting: silent,
        },
      },
    });
    compilerState ??= CompilerState.create(config, { additionalEntryPoints: files });
    const { errorCount } = Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => {
        message.handled = message.logLevel !== "error";
      },
    });
    if (errorCount > 0) fail(`${types}: ${errorCount} errors`);
  }
  return new Map(entries.map(({ name }) => [name, plainReport(readFileSync(join(folder, name), "utf8"))]));
}

function checkChangelog() {
  const { note, since, changes = [], missing } = changelogState(process.cwd(), base);
  if (note !== undefined) console.log(note);
  if (missing === undefined) return;
  for (const { name, ...of } of changes) print(name, of);
  fail(
    `Public types changed since ${since}, and CHANGELOG.md has no new line that begins with "- ${missing}"`,
  );
}

function print(name, { gone, added }) {
  const shown = [...gone.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  if (shown.length === 0) return;
  const more = shown.length > SHOWN ? `\n  and ${shown.length - SHOWN} more` : "";
  console.error(`${FOLDER}/${name}\n  ${shown.slice(0, SHOWN).join("\n  ")}${more}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
