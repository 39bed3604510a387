// Which files a test depends on, read from the compiled modules: a module depends on
// every file that a string in it names, be it an import, a program that it starts or a
// page that it reads. That may be more than it uses, and is never less, but for names
// that are put together at run time.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

import { COMPILED, compiledPath, SOURCES } from "./layout.mjs";

const TEXT = /"((?:[^"\\\n]|\\.)+)"/g;
const IMPORT = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g;
const BUILT_IN = /^node:|^playwright-core$/;
/** An import whose name is not written out: anything may be behind it. */
const UNKNOWN_IMPORT = /\bimport\((?!\s*")/;
/** Where startServer and programArguments find programs by their name alone. */
const PROGRAMS = "native-tests/support";
/** Folders that tests name by one word. */
const FOLDERS = [...SOURCES, "docs"];

export class Graph {
  #textsOf;
  #manifest = JSON.parse(readFileSync(join(COMPILED, "package.json"), "utf8"));
  #named = new Map();

  /** @param textsOf the pattern of what names files in a module: any string, or what the graphs below say */
  constructor(textsOf = () => TEXT) {
    this.#textsOf = textsOf;
  }

  /** All files that this one reaches, itself among them: names from the root, and of built-in modules. */
  reachedFrom(file, follow = () => true) {
    const reached = new Set([file]);
    for (const at of reached) if (follow(at)) for (const next of this.#from(at).names) reached.add(next);
    return reached;
  }

  /** The files that this one names. */
  namesIn(file) {
    return this.#from(file).names;
  }

  /** True if a change of one of these files can change what the test does. */
  isAffected(test, changed) {
    const reached = this.reachedFrom(test);
    const isKnown = [...reached].every((file) => !this.#from(file).isUnknown || file.startsWith("src/"));
    return !isKnown || changed.some((file) => [...reached].some((name) => covers(name, file)));
  }

  #from(file) {
    let found = this.#named.get(file);
    if (found === undefined) {
      found = this.#read(file);
      this.#named.set(file, found);
    }
    return found;
  }

  #read(file) {
    const compiled = compiledPath(file);
    if (!/\.tsx?$/.test(file) || !existsSync(compiled)) return { names: [], isUnknown: false };
    const code = readFileSync(compiled, "utf8");
    const texts = new Set([...code.matchAll(this.#textsOf(file))].map(([, text]) => text));
    const names = [...texts].flatMap((text) => (BUILT_IN.test(text) ? [text] : this.fileOf(text, file)));
    return { names, isUnknown: UNKNOWN_IMPORT.test(code) };
  }

  /** The file that a string of this one names, as a list of at most one. */
  fileOf(text, from) {
    if (/^[./]*$/.test(text)) return [];
    const places = /^\.\.?\//.test(text)
      ? [join(dirname(from), text)]
      : text.startsWith("#") || text.startsWith("framework")
        ? [this.#packageFile(text)]
        : [text, join(dirname(from), text), join(PROGRAMS, text)];
    return places
      .flatMap((place) =>
        place === undefined || !(/[./]/.test(place) || FOLDERS.includes(place)) ? [] : sourceOf(place),
      )
      .slice(0, 1);
  }

  #packageFile(specifier) {
    const [layer, ...rest] = specifier.split("/");
    const target =
      this.#manifest.imports[`${layer}/*`]?.default.replace("*", rest.join("/")) ??
      this.#manifest.exports[specifier.replace(/^framework/, ".")]?.default;
    return target && normalize(target);
  }
}

/** The graph of imports alone. */
export const importGraph = () => new Graph(() => IMPORT);

/** The graph of imports in src, and of all that tests and examples name: programs that they start, and pages. */
export const sparseGraph = () => new Graph((file) => (file.startsWith("src/") ? IMPORT : TEXT));

const covers = (name, file) => name === file || file.startsWith(`${name}/`);

/** The file of the repository that this path means: a module's is the TypeScript it was made of. */
function sourceOf(path) {
  for (const file of [path, path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")])
    if (!file.startsWith("..") && !file.startsWith("/") && existsSync(file))
      return [normalize(file).replace(/\/$/, "")];
  return [];
}
