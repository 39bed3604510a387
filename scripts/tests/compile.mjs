// Compiles src, native-tests and examples for the tests: a JavaScript file beside a
// source map for each TypeScript file, in the same layout below .build/test, and a
// copy of every other file, because programs look for their data beside themselves.
// Only what changed since the last time is compiled.
//
// .build/test has a package.json of its own: it makes "#core/..." and "framework" mean
// the compiled files, so that the published package needs no condition for tests. Under
// the condition "framework-bundle" they mean .build/test/dist: the bundle that ships.

import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

import { build } from "esbuild";

import { builtFolder } from "../built-folder.mjs";
import { bundle } from "../bundle.mjs";
import { BUNDLE, COMPILED, compiledPath, isTypeScript, ON_BUNDLE, SOURCES } from "./layout.mjs";

/** When each source file was compiled: its time of change and its size then. */
const MANIFEST = join(COMPILED, "manifest.json");

/** Compiles what changed since the last time. Rejects where a file does not parse. */
export async function compileTests() {
  const before = existsSync(MANIFEST) ? JSON.parse(readFileSync(MANIFEST, "utf8")) : {};
  const now = Object.fromEntries(sourceFiles().map((file) => [file, stampOf(file)]));
  const isStale = (file) => before[file] !== now[file] || !existsSync(compiledPath(file));
  const changed = Object.keys(now).filter(isStale);
  for (const file of Object.keys(before)) {
    if (now[file] !== undefined) continue;
    rmSync(compiledPath(file), { force: true });
    rmSync(`${compiledPath(file)}.map`, { force: true });
  }
  await compile(changed.filter(isTypeScript));
  for (const file of changed.filter((name) => !isTypeScript(name))) copy(file);
  writePackage();
  const files = Object.keys(now);
  if (files.some(isSource)) {
    await bundleSources(files);
    linkPages();
  }
  writeIfNew(MANIFEST, `${JSON.stringify(now)}\n`);
}

const sourceFiles = () =>
  SOURCES.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );

function stampOf(file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}

async function compile(files) {
  if (files.length === 0) return;
  await build({
    entryPoints: files,
    outdir: COMPILED,
    outbase: ".",
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "error",
  });
}

function copy(file) {
  mkdirSync(dirname(compiledPath(file)), { recursive: true });
  copyFileSync(file, compiledPath(file));
}

const isSource = (file) => file.startsWith("src/");

const bundleSources = (files) =>
  builtFolder({
    folder: BUNDLE,
    sources: [...files.filter(isSource), "scripts/bundle.mjs", "package.json"],
    build: (folder) => bundle(folder, { sourcemap: true }),
  });

/** Where programs look for the built pages, from source and in the bundle. Tests that need one build it. */
function linkPages() {
  linkFolder(".build", join(COMPILED, ".build"));
  linkFolder(".build/inspector-ui", join(BUNDLE, "inspector", "ui"));
  linkFolder(".build/openapi-docs", join(BUNDLE, "openapi", "docs"));
}

function linkFolder(folder, link) {
  mkdirSync(dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined)
    symlinkSync(relative(dirname(link), folder), link);
}

function writePackage() {
  const { name, version, engines, imports, exports } = JSON.parse(readFileSync("package.json", "utf8"));
  const compiled = (targets) =>
    Object.fromEntries(
      Object.entries(targets).map(([key, target]) => [
        key,
        typeof target === "string" ? target : both(target),
      ]),
    );
  const both = (target) => ({
    [ON_BUNDLE]: target.default,
    default: target["framework-source"].replace(/\.tsx?$/, ".js"),
  });
  const manifest = {
    ...{ name, version, engines, private: true, type: "module" },
    ...{ exports: compiled(exports), imports: compiled(imports) },
  };
  writeIfNew(join(COMPILED, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

// Tests that start the test runner run beside others that read these files.
function writeIfNew(file, text) {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}
