// Paths for conditions on a node without a schema, taken from a captured value.

import type { SchemaPath } from "../../breakpoints/schema-paths.js";

const MOST = 200;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Shortest paths first; for a list, those of its first item. */
export function pathsOfValue(value: unknown): readonly SchemaPath[] {
  const found: SchemaPath[] = [];
  let level: (readonly [path: string, value: unknown])[] = [["$", value]];
  while (level.length > 0 && found.length < MOST) {
    const next: (readonly [path: string, value: unknown])[] = [];
    for (const [path, one] of level.slice(0, MOST - found.length)) {
      found.push({ path, type: typeOf(one) });
      if (Array.isArray(one)) {
        if (one.length > 0) next.push([`${path}[0]`, one[0]]);
      } else if (typeof one === "object" && one !== null)
        for (const [name, inner] of Object.entries(one)) next.push([pathTo(path, name), inner]);
    }
    level = next;
  }
  return found;
}

function pathTo(path: string, name: string): string {
  if (!NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "$" ? name : `${path}.${name}`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
