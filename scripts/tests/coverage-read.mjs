// Coverage as V8 writes it, a file for each process or thread, to functions of the sources.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { functionsOf, Lines } from "./functions.mjs";
import { COMPILED, PROGRAMS, SOURCES } from "./layout.mjs";

const COMPILED_URL = `${pathToFileURL(resolve(COMPILED))}/`;

/** A source file of the repository as it is now, parsed when that is needed. */
export class Source {
  #parsed;

  constructor(file) {
    this.file = file;
    this.text = readFileSync(file, "utf8");
    this.hash = createHash("sha1").update(this.text).digest("base64url").slice(0, 12);
  }

  get parsed() {
    this.#parsed ??= { ...functionsOf(this.text, this.file), lines: new Lines(this.text) };
    return this.#parsed;
  }
}

/** True for files whose functions the map has. */
export const isModule = (file) =>
  /\.[jt]sx?$/.test(file) && SOURCES.some((folder) => file.startsWith(`${folder}/`));

export class CoverageReader {
  sources = new Map();
  #scripts = new Map();

  source(file) {
    let found = this.sources.get(file);
    if (found === undefined) {
      found = new Source(file);
      this.sources.set(file, found);
    }
    return found;
  }

  /** Adds what ran to a Map of files to keys of functions; a module that was loaded is there without keys. */
  add(path, ran) {
    const text = readFileSync(path, "utf8");
    // The source maps behind it are nine tenths of the file.
    const end = text.indexOf(',"timestamp":');
    // Of a process that was killed while it wrote, nothing can be read.
    const { result } = end < 0 ? { result: [] } : JSON.parse(`${text.slice(0, end)}}`);
    for (const { url, functions } of result) {
      if (!url.startsWith(COMPILED_URL)) continue;
      const script = this.#script(decodeURI(url.slice(COMPILED_URL.length)));
      if (script === undefined) continue;
      if (script.file !== undefined && !ran.has(script.file)) ran.set(script.file, new Set());
      for (const { functionName, ranges } of functions) {
        const { startOffset, endOffset, count } = ranges[0];
        const isWhole = startOffset === 0 && functionName === "";
        if (count === 0 || isWhole || functionName.startsWith("<")) continue;
        const { file, keys } = script.functionsAt(startOffset, endOffset);
        if (keys.length > 0 && !ran.has(file)) ran.set(file, new Set());
        for (const key of keys) ran.get(file).add(key);
      }
    }
  }

  #script(name) {
    if (!this.#scripts.has(name)) this.#scripts.set(name, this.#read(name));
    return this.#scripts.get(name);
  }

  #read(name) {
    const path = join(COMPILED, name);
    if (!existsSync(path)) return undefined;
    const found = new Map();
    const placeOf = existsSync(`${path}.map`) ? mapped(path) : (offset) => ({ file: name, offset });
    return {
      file: moduleOf(name),
      functionsAt: (start, end) => {
        if (!found.has(start)) found.set(start, this.#functionsAt(placeOf(start, end)));
        return found.get(start);
      },
    };
  }

  /** A function and those around it: they must have run to make it. */
  #functionsAt({ file, offset, line, column }) {
    if (file === undefined || !isModule(file) || !existsSync(file)) return { file, keys: [] };
    const { functions, lines } = this.source(file).parsed;
    const at = offset ?? lines.starts[line] + column;
    const around = functions.filter(({ start, end }) => start <= at && at < end);
    return { file, keys: around.map(({ key }) => key) };
  }
}

/** The place in the source of the first token of a function that the source map has: it may lack a parenthesis. */
function mapped(path) {
  const lines = new Lines(readFileSync(path, "utf8"));
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8")));
  const entryAt = (offset) => {
    const line = lines.at(offset);
    return map.findEntry(line, offset - lines.starts[line]);
  };
  return (start, end) => {
    const isInside = (entry) => lines.starts[entry.generatedLine] + entry.generatedColumn >= start;
    let entry = entryAt(start);
    for (let at = start + 1; at < end && !isInside(entry); at += 1) entry = entryAt(at);
    const {
      originalSource,
      originalLine: line,
      originalColumn: column,
    } = isInside(entry) ? entry : entryAt(start);
    if (originalSource === undefined) return {};
    return { file: relative(".", resolve(dirname(path), originalSource)), line, column };
  };
}

/** The source of a compiled module, or of an entry of the bundle; what entries of the bundle share has none. */
function moduleOf(name) {
  const base = name.replace(/^dist\//, "src/");
  return [base.replace(/\.js$/, ".ts"), base.replace(/\.js$/, ".tsx"), base].find((file) => existsSync(file));
}

/** What each test file and its programs wrote: files of coverage, and the arguments of the programs that wrote none. */
export function coverageIn(folder) {
  const found = new Map();
  for (const own of foldersIn(folder)) {
    const files = coverageFiles(own);
    const programs = join(own, PROGRAMS);
    const started = existsSync(programs) ? JSON.parse(readFileSync(programs, "utf8")) : [];
    const isKilled = ([pid]) => !files.some((file) => basename(file).startsWith(`coverage-${pid}-`));
    const killed = started.filter(isKilled).map(([, ...args]) => args);
    found.set(decodeURIComponent(basename(own)), { files, killed });
  }
  return found;
}

const coverageFiles = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name));

const foldersIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
