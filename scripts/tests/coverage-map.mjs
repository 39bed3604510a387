// Which test files ran which functions, as the last full run with coverage found
// (`npm test -- --map`, or any with NODE_V8_COVERAGE), and so which a change can affect.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isModule, Source } from "./coverage-read.mjs";
import { functionAt, functionsOf } from "./functions.mjs";
import { Graph, importGraph } from "./graph.mjs";

/** Written by coverage-write.mjs: `files` have for each key of functions.mjs the number of a set of tests, a base64 of bits; those of the key "" loaded the module. */
export const MAP = join(".build", "coverage-map.json");

/** A test that runs these reads sources: to build a page or the bundle, or to check types. */
const READERS = [
  ["native-tests/support/built-page.ts", /^src\/(inspector\/ui|openapi\/docs)\//],
  ["native-tests/support/two-copies.ts", /^src\//],
  ["native-tests/scripts/bundle.test.ts", /^src\//],
  ["native-tests/types/messages.test.ts", /^src\//],
];

const NOTHING = { functions: [], exports: new Map(), outside: { hash: "", uses: [] } };

/** The map, or undefined where no run has written one. */
export const coverageMap = () =>
  existsSync(MAP) ? new CoverageMap(JSON.parse(readFileSync(MAP, "utf8"))) : undefined;

class CoverageMap {
  #map;
  #imports = importGraph();
  #texts = new Graph();
  #sources = new Map();
  #importers;
  #sizes;

  constructor(map) {
    this.#map = map;
  }

  /** When it was written, and how many commits ago. */
  get age() {
    const { at, commit } = this.#map;
    const { status, stdout } = spawnSync("git", ["rev-list", "--count", `${commit}..HEAD`], {
      encoding: "utf8",
    });
    return `${at.slice(0, 16).replace("T", " ")}, ${status === 0 ? `${stdout.trim()} commits ago` : "from another branch"}`;
  }

  knows(test) {
    return this.#map.tests.includes(test);
  }

  /** The tests that ran the innermost function at an offset of a source file, the most specific first; outside of functions those that loaded the module. */
  testsOf(file, offset) {
    const key = functionAt(this.#source(file).parsed.functions, offset)?.key ?? "";
    return this.#nearestFirst(file, this.#ran(file, key));
  }

  /** The tests that a change of one file can affect, the most specific first. */
  testsOfChange(file, before, after) {
    return this.#nearestFirst(file, this.#affected([{ file, before, after }]));
  }

  /** The tests that changes can affect: `before` and `after` are the texts of the file, undefined where there is none. */
  affectedBy(changes) {
    const affected = this.#affected(changes);
    const changed = changes.map(({ file }) => file);
    for (const [module, sources] of READERS)
      if (changed.some((file) => sources.test(file)))
        for (const key of Object.keys(this.#map.files[module]?.ran ?? {}).filter((key) => key !== ""))
          for (const test of this.#ran(module, key)) affected.add(test);
    for (const test of this.#map.tests)
      if (!affected.has(test) && this.#reads(test, changed)) affected.add(test);
    return affected;
  }

  #affected(changes) {
    const affected = new Set(changes.map(({ file }) => file).filter((file) => this.knows(file)));
    const add = (tests) => {
      for (const test of tests) affected.add(test);
    };
    const names = [];
    const doubtful = new Set();
    for (const { file, before, after } of changes.filter(({ file }) => isModule(file))) {
      const [was, is] = [parsed(before, file), parsed(after, file)];
      const [old, now] = [keysOf(was), keysOf(is)];
      for (const key of Object.keys(this.#map.files[file]?.ran ?? {})) {
        if (key === "" || (old.has(key) && now.has(key))) continue;
        for (const test of this.#ran(file, key))
          (old.has(key) || now.has(key) ? affected : doubtful).add(test);
      }
      if (was.outside.hash !== is.outside.hash) add(this.#ran(file, ""));
      for (const name of new Set([...was.exports.keys(), ...is.exports.keys()]))
        if (was.exports.get(name)?.hash !== is.exports.get(name)?.hash) names.push([file, name]);
    }
    add(this.#usersOf(names));
    for (const test of this.#stale(changes)) doubtful.add(test);
    const changed = changes.filter((change) => isCodeChanged(change)).map(({ file }) => file);
    for (const test of doubtful)
      if (changed.some((file) => this.#ran(file, "").includes(test))) affected.add(test);
    return affected;
  }

  /** The tests that ran what uses these exported names, directly or by what other modules make of them. */
  #usersOf(names) {
    const users = new Set();
    const seen = new Set();
    for (const [file, name] of names) {
      if (seen.has(`${name} of ${file}`)) continue;
      seen.add(`${name} of ${file}`);
      for (const importer of this.#importersOf(file)) {
        const { functions, exports, outside } = this.#source(importer).parsed;
        const isUser = ({ uses }) =>
          uses.some((use) => {
            const [imported, from] = use.split(" of ");
            return [name, "*"].includes(imported) || name === "*"
              ? this.#imports.fileOf(from, importer)[0] === file
              : false;
          });
        const keys = functions.filter(isUser).map(({ key }) => key);
        for (const key of isUser(outside) ? [...keys, ""] : keys)
          for (const test of this.#ran(importer, key)) users.add(test);
        for (const [exported, unit] of exports) if (isUser(unit)) names.push([importer, exported]);
      }
    }
    return users;
  }

  #importersOf(file) {
    if (this.#importers === undefined) {
      this.#importers = new Map();
      for (const importer of Object.keys(this.#map.files).filter((name) => existsSync(name)))
        for (const name of this.#imports.namesIn(importer))
          this.#importers.set(name, [...(this.#importers.get(name) ?? []), importer]);
    }
    return this.#importers.get(file) ?? [];
  }

  /** The tests that ran functions which are different since the map was written, though not by these changes. */
  #stale(changes) {
    const changed = new Set(changes.map(({ file }) => file));
    const stale = new Set();
    for (const [file, { hash, ran }] of Object.entries(this.#map.files)) {
      if (changed.has(file) || (existsSync(file) && this.#source(file).hash === hash)) continue;
      const now = existsSync(file) ? keysOf(this.#source(file).parsed) : new Set();
      for (const key of Object.keys(ran))
        if (key !== "" && !now.has(key)) for (const test of this.#ran(file, key)) stale.add(test);
    }
    return stale;
  }

  /** True if the test names a file, or a folder that it is in, and does not load it as a module. */
  #reads(test, changed) {
    const named = this.#texts.reachedFrom(test, (file) => !file.startsWith("src/"));
    return changed.some((file) => {
      if (named.has(file)) return !this.#ran(file, "").includes(test);
      return [...named].some((name) => file.startsWith(`${name}/`));
    });
  }

  #ran(file, key) {
    const set = this.#map.files[file]?.ran[key];
    return set === undefined ? [] : this.#tests(set);
  }

  #tests(set) {
    const found = this.#map.sets[set];
    if (typeof found !== "string") return found;
    const bits = Buffer.from(found, "base64");
    const tests = this.#map.tests.filter((_, at) => (bits[at >> 3] & (1 << (at & 7))) !== 0);
    this.#map.sets[set] = tests;
    return tests;
  }

  #source(file) {
    if (!this.#sources.has(file)) this.#sources.set(file, new Source(file));
    return this.#sources.get(file);
  }

  /** The test beside the file, then those that run most of it beside little else. What few tests run counts more. */
  #nearestFirst(file, tests) {
    this.#sizes ??= this.#weights(Object.values(this.#map.files));
    const own = this.#weights([this.#map.files[file] ?? { ran: {} }]);
    const beside = file.replace(/^src/, "native-tests").replace(/\.tsx?$/, ".test.ts");
    const score = (test) =>
      test === beside ? -1 : Math.sqrt(this.#sizes.get(test) ?? 0) / (own.get(test) ?? 1) ** 2;
    return [...tests].sort((a, b) => score(a) - score(b) || (a < b ? -1 : 1));
  }

  #weights(files) {
    const weights = new Map();
    for (const { ran } of files)
      for (const tests of Object.values(ran).map((set) => this.#tests(set)))
        for (const test of tests) weights.set(test, (weights.get(test) ?? 0) + 1 / Math.sqrt(tests.length));
    return weights;
  }
}

const parsed = (text, file) => (text === undefined ? NOTHING : functionsOf(text, file));

const keysOf = ({ functions }) => new Set(functions.map(({ key }) => key));

function isCodeChanged({ file, before, after }) {
  if (!isModule(file)) return false;
  const [was, is] = [parsed(before, file), parsed(after, file)];
  const code = ({ functions, exports, outside }) =>
    JSON.stringify([functions.map(({ key }) => key), [...exports], outside.hash]);
  return code(was) !== code(is);
}
