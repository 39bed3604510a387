// Builds the Inspector's page: into dist/inspector/ui for the package, and into
// .build/inspector-ui for programs that run from source. `npm start` and the tests
// build that one when it is missing or older than what it is made of.

import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCE = join(ROOT, "src/inspector/ui");
/** The page shares the parser of conditions with the server. */
const SHARED = join(ROOT, "src/inspector/breakpoints");
const FROM_SOURCE = join(ROOT, ".build/inspector-ui");
/** Longer than a build takes: what is older was left by a process that died. */
const LOCK_MS = 60_000;

/** Writes index.html and assets/. No script or style stands in the page itself: it is served under a strict policy. */
export async function buildInspectorUi(outDir) {
  const { build } = await import("vite");
  await build({
    root: SOURCE,
    base: "./",
    configFile: false,
    envDir: false,
    logLevel: "warn",
    publicDir: false,
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: false,
      target: "es2023",
      reportCompressedSize: false,
    },
  });
}

/** The folder of the page that is built from the source as it is now. */
export async function builtInspectorUi() {
  if (isFresh()) return FROM_SOURCE;
  const lock = `${FROM_SOURCE}.lock`;
  mkdirSync(dirname(lock), { recursive: true });
  // Tests run in many processes: one builds, the others wait for it.
  while (!take(lock)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (isFresh()) return FROM_SOURCE;
  }
  try {
    if (isFresh()) return FROM_SOURCE;
    const next = `${FROM_SOURCE}.${process.pid}`;
    await buildInspectorUi(next);
    rmSync(FROM_SOURCE, { recursive: true, force: true });
    renameSync(next, FROM_SOURCE);
  } finally {
    rmdirSync(lock);
  }
  return FROM_SOURCE;
}

function isFresh() {
  const built = modifiedAt(join(FROM_SOURCE, "index.html"));
  if (built === undefined) return false;
  const sources = [SOURCE, SHARED].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  );
  return [...sources, fileURLToPath(import.meta.url)].every((file) => (modifiedAt(file) ?? 0) <= built);
}

function take(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() - (modifiedAt(lock) ?? 0) > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await builtInspectorUi();
}
