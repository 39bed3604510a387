// The paths that a condition on a node's input can have, from the node's schema.

import type { TSchema } from "@sinclair/typebox";

export interface SchemaPath {
  /** As written in a condition. */
  readonly path: string;
  /** JSON Schema's types, as "integer | null"; "any" if the schema has none. */
  readonly type: string;
}

export interface SchemaPathLimits {
  /** Default 200. */
  readonly maxPaths?: number;
  /** Properties of one path. Default 8: a recursive schema has endless paths. */
  readonly maxDepth?: number;
}

/** The paths of a schema, the shortest first; of a list those of its first item. */
export function pathsOfSchema(
  schema: TSchema,
  { maxPaths = 200, maxDepth = 8 }: SchemaPathLimits = {},
): readonly SchemaPath[] {
  const ids = idsIn(schema);
  const found: SchemaPath[] = [];
  let level = new Level(maxPaths);
  level.add([], schema);
  for (let depth = 0; depth <= maxDepth && level.places.size > 0; depth += 1) {
    const next = new Level(maxPaths - found.length - level.places.size);
    for (const [path, place] of level.places) found.push({ path, type: typeOfPlace(place, ids, next) });
    level = next;
  }
  return found;
}

/** A path has several schemas in a union. */
interface Place {
  readonly path: readonly string[];
  readonly schemas: Set<unknown>;
}

/** The paths of one length. */
class Level {
  readonly places = new Map<string, Place>();
  readonly #maxPaths: number;

  constructor(maxPaths: number) {
    this.#maxPaths = maxPaths;
  }

  add(path: readonly string[], schema: unknown): void {
    const text = printPath(path);
    const place = this.places.get(text);
    if (place !== undefined) place.schemas.add(schema);
    else if (this.places.size < this.#maxPaths) this.places.set(text, { path, schemas: new Set([schema]) });
  }
}

/** The type at a place. Adds the places one property further to `next`. */
function typeOfPlace({ path, schemas }: Place, ids: ReadonlyMap<string, unknown>, next: Level): string {
  const types = new Set<string>();
  // The loop visits members that it adds; a union that leads back to itself adds none.
  for (const schema of schemas) {
    if (!isObject(schema)) continue;
    const { $ref, type, properties, items, anyOf, oneOf, allOf } = schema;
    for (const name of [type].flat()) if (typeof name === "string") types.add(name);
    if (type === undefined && "const" in schema) types.add(typeOfConst(schema["const"]));
    if (typeof $ref === "string") schemas.add(ids.get($ref));
    for (const variants of [anyOf, oneOf, allOf])
      if (Array.isArray(variants)) for (const variant of variants) schemas.add(variant);
    if (isObject(properties))
      for (const [name, inner] of Object.entries(properties)) next.add([...path, name], inner);
    const listed = Array.isArray(items) ? items : items === undefined ? [] : [items];
    for (const [at, item] of listed.entries()) next.add([...path, String(at)], item);
  }
  return [...types].join(" | ") || "any";
}

/** What a `$ref` can name: an `$id`, or one of `$defs`. */
function idsIn(schema: TSchema): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  const waiting: unknown[] = [schema];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (Array.isArray(part)) waiting.push(...part);
    if (!isObject(part)) continue;
    const { $id, $defs } = part;
    if (typeof $id === "string") ids.set($id, part);
    if (isObject($defs))
      for (const [name, inner] of Object.entries($defs)) ids.set(name, inner).set(`#/$defs/${name}`, inner);
    waiting.push(...Object.values(part));
  }
  return ids;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const typeOfConst = (value: unknown): string => (value === null ? "null" : typeof value);

const NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

export function printPath(path: readonly string[]): string {
  if (path.length === 0) return "$";
  return path.map(printPart).join("");
}

function printPart(name: string, at: number): string {
  if (INDEX.test(name)) return `[${name}]`;
  // `$` at the beginning is the value itself.
  if (!NAME.test(name) || (at === 0 && name === "$")) return `[${JSON.stringify(name)}]`;
  return at === 0 ? name : `.${name}`;
}
