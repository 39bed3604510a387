// `npm run openapi-check`: three tools of others read the OpenAPI documents of the examples and the Inspector.
// They have a manifest and a lockfile in scripts/openapi-tools, and are installed if missing.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { commandLine } from "./command-line.mjs";
import { installed } from "./own-packages.mjs";

commandLine(`npm run openapi-check

Has the OpenAPI documents of every example and of the Inspector read by three validators, each first given a planted fault.`);

const TOOLS = installed("openapi-tools");
const FOLDER = ".build/openapi";
const PLANTED = join(FOLDER, "planted.json");

function run(command, args, options = {}) {
  const { status, stdout, error } = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  if (error !== undefined) throw error;
  return { status, stdout };
}

rmSync(FOLDER, { recursive: true, force: true });
const written = run(
  process.execPath,
  ["--conditions=framework-source", "--import", "tsx", "scripts/openapi-documents.mjs", FOLDER],
  { env: { ...process.env, FRAMEWORK_PROFILE: "test" } },
);
process.stdout.write(written.stdout);
if (written.status !== 0) process.exit(1);

const require = createRequire(pathToFileURL(join(TOOLS, "package.json")));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const { Validator } = await load("@seriousme/openapi-schema-validator");
const { compileErrors, validate } = await load("@readme/openapi-parser");

/** Each returns the problems as text; "" if none. */
const readers = {
  "@seriousme/openapi-schema-validator": async (file) => {
    const { valid, errors } = await new Validator().validate(parsed(file));
    return valid ? "" : JSON.stringify(errors, null, 2);
  },
  "@readme/openapi-parser": async (file) => {
    const result = await validate(parsed(file));
    return result.valid ? "" : compileErrors(result);
  },
  "@redocly/cli": async (...files) => {
    const { status, stdout } = run(
      join(TOOLS, "node_modules/.bin/redocly"),
      ["lint", "--format=stylish", ...files],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    return status === 0 ? "" : stdout || "it failed";
  },
};

const parsed = (file) => JSON.parse(readFileSync(file, "utf8"));

const files = readdirSync(FOLDER).map((name) => join(FOLDER, name));
let failed = false;
const fail = (text) => {
  failed = true;
  console.error(text);
};

// An invalid document, which each reader must refuse: a reader that accepts everything proves nothing.
const planted = parsed(files[0]);
planted.paths["/planted"] = { get: { responses: { 200: { content: 1 } }, parameters: [{ in: "nowhere" }] } };
writeFileSync(PLANTED, JSON.stringify(planted));
for (const [name, read] of Object.entries(readers))
  if ((await read(PLANTED)) === "") fail(`${name} takes a document with planted faults`);
rmSync(PLANTED);

const each = [readers["@seriousme/openapi-schema-validator"], readers["@readme/openapi-parser"]];
for (const file of files)
  for (const read of each) {
    const wrong = await read(file);
    if (wrong !== "") fail(`${file}:\n${wrong}`);
  }
const wrong = await readers["@redocly/cli"](...files);
if (wrong !== "") fail(wrong);
if (failed) process.exit(1);
console.log(`${files.length} documents, read by ${Object.keys(readers).join(", ")}`);
