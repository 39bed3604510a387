// Writes the map of which tests ran which functions, when all tests have run with coverage.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { MAP } from "./coverage-map.mjs";
import { CoverageReader, coverageIn, isModule } from "./coverage-read.mjs";
import { importGraph, loadGraph } from "./graph.mjs";
import { COMPILED, compiledPath } from "./layout.mjs";

const LOAD_TIME = fileURLToPath(new URL("load-time.mjs", import.meta.url));

/** @param folder where processes wrote their coverage, a folder each
 * @param passed the test files that passed: what another one ran is not known */
export function writeMap(folder, passed) {
  const reader = new CoverageReader();
  const graph = importGraph();
  const ran = new Map(passed.map((test) => [test, new Map()]));
  for (const [test, { files, killed }] of coverageIn(folder)) {
    if (!ran.has(test)) continue;
    for (const file of files) reader.add(JSON.parse(readFileSync(file, "utf8")).result, ran.get(test));
    addKilled(killed, ran.get(test), { graph, reader });
  }
  addLoaded(ran, { graph, reader });
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  const header = { commit, at: new Date().toISOString(), tests: passed };
  writeFileSync(MAP, JSON.stringify({ ...header, ...packed(ran, reader) }));
}

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
  return texts.flatMap((text) => graph.fileOf(text.replace(/^.*\/\.build\/test\//, ""), "."));
}

/**
 * Adds the modules that a test or its programs import, and the functions that run while those
 * are loaded that its process loads: for one that another test had loaded they have not run again.
 */
function addLoaded(ran, { graph, reader }) {
  const loads = loadGraph();
  const loaded = new Map(
    [...ran.keys()].map((test) => [
      test,
      [...loads.reachedFrom(test)].filter((file) => file !== test && isModule(file)),
    ]),
  );
  const loading = loadTime(importedFirst([...new Set([...loaded.values()].flat())], loads));
  for (const [test, own] of ran) {
    for (const file of [test, ...own.keys()].flatMap((file) => [...graph.reachedFrom(file)]))
      if (isModule(file) && !own.has(file)) own.set(file, new Set());
    for (const file of loaded.get(test)) reader.add(loading.get(file), own);
  }
}

function importedFirst(files, graph) {
  const ordered = new Set();
  const visit = (file, path) => {
    if (ordered.has(file) || path.includes(file) || !isModule(file)) return;
    for (const next of graph.namesIn(file)) visit(next, [...path, file]);
    ordered.add(file);
  };
  for (const file of files) visit(file, []);
  return [...ordered];
}

function loadTime(modules) {
  const result = join(COMPILED, "load-time.json");
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const input = JSON.stringify(modules.map(compiledPath));
  execFileSync(process.execPath, [LOAD_TIME, result], { input, env, stdio: ["pipe", "ignore", "inherit"] });
  const results = JSON.parse(readFileSync(result, "utf8"));
  rmSync(result);
  return new Map(modules.map((file, at) => [file, results[at]]));
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
