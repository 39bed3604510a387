// Writes the map of which tests ran which functions, when all tests have run with coverage.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

import { MAP } from "./coverage-map.mjs";
import { CoverageReader, coverageIn, isModule } from "./coverage-read.mjs";
import { importGraph } from "./graph.mjs";

/** @param folder where processes wrote their coverage, a folder each
 * @param passed the test files that passed: what another one ran is not known */
export function writeMap(folder, passed) {
  const reader = new CoverageReader();
  const graph = importGraph();
  const ran = new Map(passed.map((test) => [test, new Map()]));
  const covered = new Map();
  for (const [test, { files, killed }] of coverageIn(folder)) {
    if (!ran.has(test)) continue;
    for (const file of files) reader.add(file, ran.get(test));
    addAll(covered, ran.get(test));
    addKilled(killed, ran.get(test), { graph, reader });
  }
  addImported(ran, graph);
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const header = { commit, at: new Date().toISOString(), tests: passed };
  writeFileSync(MAP, JSON.stringify({ ...header, ...packed(ran, reader), covered: sourcesOf(covered) }));
}

function addAll(covered, ran) {
  for (const [file, keys] of ran) covered.set(file, new Set([...(covered.get(file) ?? []), ...keys]));
}

/** The functions of src that ran for certain: not by a program that was killed. */
const sourcesOf = (covered) =>
  Object.fromEntries(
    [...covered].filter(([file]) => file.startsWith("src/")).map(([file, keys]) => [file, [...keys]]),
  );

/** A program that was killed may have run whatever it imports. */
function addKilled(killed, ran, { graph, reader }) {
  for (const args of killed)
    for (const file of args.flatMap((arg) => modulesIn(arg, graph)))
      for (const reached of graph.reachedFrom(file))
        if (isModule(reached)) {
          const keys = reader.source(reached).parsed.functions.map(({ key }) => key);
          ran.set(reached, new Set(keys));
        }
}

/** The modules of the repository that an argument of Node.js names: a path, or the imports of a text. */
function modulesIn(argument, graph) {
  const texts = /\bimport\b/.test(argument)
    ? [...argument.matchAll(/"([^"\n]+)"/g)].map(([, text]) => text)
    : [argument];
  const paths = texts.map((text) => text.replace(/^.*\/\.build\/test\//, ""));
  // Paths begin at the root, or in the folder of the programs: support/serve.ts has them from there.
  return paths.flatMap((path) =>
    [".", "native-tests/support/serve.ts"].flatMap((from) => graph.fileOf(path, from)),
  );
}

/** Adds the modules that a test or its programs import, or may import later. */
function addImported(ran, graph) {
  for (const [test, own] of ran)
    for (const file of [test, ...own.keys()].flatMap((file) => [...graph.reachedFrom(file)]))
      if (isModule(file) && !own.has(file)) own.set(file, new Set());
}

/** The map as it is written: equal sets of tests once. */
function packed(ran, reader) {
  const sets = new Map();
  const tests = [...ran.keys()];
  const functions = new Map();
  for (const [at, test] of tests.entries())
    for (const [file, keys] of ran.get(test))
      for (const key of ["", ...keys]) {
        const id = `${file}\n${key}`;
        if (!functions.has(id)) functions.set(id, Buffer.alloc(Math.ceil(tests.length / 8)));
        functions.get(id)[at >> 3] |= 1 << (at & 7);
      }
  const files = {};
  for (const [id, bits] of functions) {
    const [file, key] = id.split("\n");
    const text = bits.toString("base64");
    if (!sets.has(text)) sets.set(text, sets.size);
    files[file] ??= { hash: reader.source(file).hash, ran: {} };
    files[file].ran[key] = sets.get(text);
  }
  return { sets: [...sets.keys()], files };
}
