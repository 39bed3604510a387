// The declarations of the package, once tsc has written one for each module of src.

import { readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { parseSync, Visitor } from "oxc-parser";

/** TypeScript 7 loads types of Node.js only where something names them. */
const NODE_TYPES = '/// <reference types="node" />\n';

/**
 * In the package in `root`, writes relative paths for imports by `#layer`, which not every project
 * resolves, and removes the declarations that no entry reaches. Returns how many are left.
 */
export function trimDeclarations(root) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const dist = resolve(root, "dist");
  const entries = new Set(
    Object.values(exports).flatMap(({ default: file }) => (file ? declarationOf(resolve(root, file)) : [])),
  );
  const kept = new Set(entries);
  for (const file of kept) {
    let text = readFileSync(file, "utf8");
    // From the end, so that the places of the others stay true.
    for (const { value, start, end } of modulesIn(file, text).sort((a, b) => b.start - a.start)) {
      if (!/^[#.]/.test(value)) continue;
      const target = value.startsWith("#") ? join(dist, value.slice(1)) : resolve(dirname(file), value);
      kept.add(declarationOf(target));
      text = `${text.slice(0, start)}"${relativePath(file, target)}"${text.slice(end)}`;
    }
    writeFileSync(file, entries.has(file) ? NODE_TYPES + text : text);
  }
  removeOthers(dist, kept);
  return kept.size;
}

const declarationOf = (file) => file.replace(/\.js$/, ".d.ts");

function relativePath(from, to) {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The modules that a declaration names, with the places of their names. */
function modulesIn(file, text) {
  const { program, errors } = parseSync(file, text, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const names = [];
  const add = ({ source }) => source && names.push(source);
  new Visitor({
    ImportDeclaration: add,
    ExportAllDeclaration: add,
    ExportNamedDeclaration: add,
    TSImportType: add,
  }).visit(program);
  return names;
}

function removeOthers(folder, kept) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      removeOthers(path, kept);
      if (readdirSync(path).length === 0) rmdirSync(path);
    } else if (path.endsWith(".d.ts") && !kept.has(path)) rmSync(path);
  }
}
