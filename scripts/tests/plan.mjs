// Which test files share a process. A process costs as much as many of their tests, so
// files share one unless they start processes themselves or change what belongs to the
// whole process.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { BUNDLE, compiledPath, isTypeScript } from "./layout.mjs";

/** The tier that `npm run test:heavy` runs: what needs a Debian package or seconds of its own. */
const HEAVY = "native-tests/heavy";

/** Modules whose users run apart: they start browsers, count bytes of the whole heap, set what a process has once, or share state with other tests. */
const APART_MODULES = [
  "playwright-core",
  "native-tests/docs/example-runs.ts",
  "native-tests/support/heap.ts",
  "native-tests/support/otlp-receiver.ts",
];

/** Files that run apart for a reason of their own. */
const APART_FILES = new Map([
  ["native-tests/http/serving/health.test.ts", "fetch keeps a timer for its connections"],
  ["native-tests/http/native/binding.test.ts", "loads the native server with several head limits"],
  ["native-tests/heavy/random/fuzzed-examples.test.ts", "starts the threads of the examples"],
  ["native-tests/heavy/secrets/continued-runs.test.ts", "abandons runs, as a process that dies"],
  ["native-tests/pool/worker-pool.test.ts", "gives the pool of its process other limits"],
  ["native-tests/runtime/kept-server-runs.test.ts", "abandons runs, as a process that dies"],
  ["native-tests/store/redis/redis-cluster.test.ts", "ioredis keeps a timer of a cluster that was closed"],
  ["native-tests/docs/redis.test.ts", "ioredis keeps a timer of a cluster that was closed"],
  ["native-tests/runtime/own-code.test.ts", "replaces Function"],
  ["native-tests/runtime/resumed-iam.test.ts", "abandons runs, as a process that dies"],
]);

/** At most so many files share a process, so that its memory stays below the limit of one-process.mjs. */
const FILES_A_PROCESS = 45;

/** The test files at or below these paths; without any, those of the first tier, or the heavy one. */
export function testFiles(paths, isHeavy) {
  const roots = paths.length > 0 ? paths : isHeavy ? [HEAVY] : ["native-tests", "examples"];
  const isWanted = (file) => paths.length > 0 || isHeavy || !file.startsWith(`${HEAVY}/`);
  return [...new Set(roots.flatMap(below))].filter(isWanted).sort();
}

function below(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`There is no file or folder ${path}`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(path, name));
}

/**
 * The files of each process, in an order that the seed decides. A file runs on the bundle unless
 * it imports the package's internals.
 *
 * @param most so many files share a process
 */
export function processesOf(files, graph, seed, most = FILES_A_PROCESS) {
  const shuffled = shuffle(files, seed).map((file) => ({
    file,
    isApart: isApart(file, graph),
    isOnBundle: isOnBundle(file, graph),
  }));
  const kinds = [true, false].map((isOnBundle) => shuffled.filter((one) => one.isOnBundle === isOnBundle));
  return [
    ...kinds.flatMap((kind) =>
      groupsOf(
        kind.filter((one) => !one.isApart),
        most,
      ),
    ),
    ...shuffled
      .filter((one) => one.isApart)
      .map(({ file, isOnBundle }) => ({ files: [file], isApart: true, isOnBundle })),
  ];
}

function groupsOf(shared, most) {
  const count = Math.ceil(shared.length / most);
  return Array.from({ length: count }, (_, at) => ({
    files: shared.filter((_, i) => i % count === at).map(({ file }) => file),
    isApart: false,
    isOnBundle: shared[0].isOnBundle,
  }));
}

/** An import of a module of src, by its place or as `#...`. Types are gone from compiled code. */
const INTERNAL_IMPORT = /\b(?:from|import)\s*\(?\s*"(?:#([^"]+)|(?:\.\.\/)+src\/[^"]+)"/g;

/**
 * True if the file and what it imports of tests and examples know the package by its public
 * entries: two copies of a module would be two. A module that is an entry of the bundle is one.
 */
function isOnBundle(file, graph) {
  const reached = [...graph.reachedFrom(file, (name) => !name.startsWith("src/"))];
  return reached
    .filter((name) => isTypeScript(name) && !name.startsWith("src/") && existsSync(compiledPath(name)))
    .every((name) =>
      [...readFileSync(compiledPath(name), "utf8").matchAll(INTERNAL_IMPORT)].every(
        ([, internal]) => internal !== undefined && existsSync(join(BUNDLE, internal)),
      ),
    );
}

function isApart(file, graph) {
  const reached = graph.reachedFrom(file, (name) => !name.startsWith("src/"));
  return APART_FILES.has(file) || APART_MODULES.some((module) => reached.has(module));
}

/** Fisher and Yates, by a linear congruential generator (Numerical Recipes). */
export function shuffle(files, seed) {
  const shuffled = [...files];
  let state = seed >>> 0;
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 2 ** 32) * (i + 1));
    [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
  }
  return shuffled;
}
