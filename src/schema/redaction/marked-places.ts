// Finds the places of a value that a schema marks as sensitive. A value may match any variant of a
// union, or none. So a place combines all schemas that may apply to it, and is marked if one of
// them marks it.

import type { TSchema } from "@sinclair/typebox";

import { isSensitive, SENSITIVE } from "#core/secrets/sensitive.js";
import { checkedPattern } from "../formats/pattern.js";

/** One place in a value, as described by the schemas. */
export interface Place {
  /** True if the whole value is sensitive. */
  readonly isMarked: boolean;
  /** True if it, or something inside, is sensitive. */
  readonly hasMarks: boolean;
  /** Undefined for a property without a schema. */
  readonly property: (name: string) => Place | undefined;
  /** Of an array; without `at`, of any item. */
  readonly item: (at?: number) => Place | undefined;
}

export interface MarkedPlaces {
  readonly root: Place;
  /** Names of properties that are marked anywhere, or whose items are. */
  readonly names: ReadonlySet<string>;
}

/** A schema with the meanings of its references. Equal schema and meanings give the same object. */
export interface Part {
  readonly id: number;
  readonly schema: TSchema;
  readonly meanings: Meanings;
  readonly inner: Map<TSchema, Part>;
}

/** Targets of references. */
interface Meanings {
  readonly get: (name: string) => Part | undefined;
}

const IN_PLACE = ["anyOf", "allOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
const BELOW = ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"].concat([
  "items",
  "prefixItems",
  "additionalItems",
  "unevaluatedItems",
  "contains",
]);

const NAMELESS = BELOW.filter((keyword) => keyword !== "properties");

const KEYWORD = JSON.stringify(SENSITIVE);

const MAX_SETS = 10_000;

/** Undefined if nothing is marked. */
export function markedPlaces(schema: TSchema): MarkedPlaces | undefined {
  // Most schemas mark nothing, and all are tested at start.
  if (!JSON.stringify(schema).includes(KEYWORD)) return undefined;
  const sets = new Sets(schema);
  const names = sets.markedNames();
  return sets.hasMarks ? { root: sets.root, names } : undefined;
}

const isSchema = (value: unknown): value is TSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schemas under a keyword with a schema, a list or a map. */
function schemasUnder(schema: TSchema, keyword: string): readonly TSchema[] {
  const held: unknown = schema[keyword];
  if (typeof held !== "object" || held === null) return [];
  const isMap = ["properties", "patternProperties", "dependentSchemas"].includes(keyword);
  return (Array.isArray(held) || isMap ? Object.values(held) : [held]).filter(isSchema);
}

/** The parts of one schema. */
export class Sets {
  readonly root: Place;
  hasMarks = false;
  readonly first: Part;
  readonly #sets = new Map<string, Place>();
  readonly #patterns = new Map<string, (name: string) => boolean>();
  #parts = 0;

  constructor(schema: TSchema) {
    this.first = this.#part(schema, new Map());
    this.root = this.set([this.first]) as Place;
  }

  /** Walks all parts once. */
  markedNames(): ReadonlySet<string> {
    const names = new Set<string>();
    const seen = new Set<Part>();
    const open = [this.first];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (seen.has(part)) continue;
      seen.add(part);
      const { schema } = part;
      if (part !== UNKNOWN && isSensitive(schema)) this.hasMarks = true;
      const properties: unknown = schema["properties"];
      if (isSchema(properties))
        for (const [name, inner] of Object.entries(properties))
          if (isSchema(inner) && this.#hasNamelessMark(this.#child(part, inner))) names.add(name);
      open.push(...this.#speaking([part]));
      for (const keyword of BELOW)
        open.push(...schemasUnder(schema, keyword).map((inner) => this.#child(part as Part, inner)));
    }
    return names;
  }

  /** True if the part is marked, or something inside without a name, such as the items of a list. */
  #hasNamelessMark(first: Part): boolean {
    return this.hasMark([first], NAMELESS);
  }

  /** True if one of the parts is marked, or something below these keywords. */
  hasMark(parts: readonly Part[], keywords: readonly string[] = BELOW): boolean {
    const seen = new Set<Part>();
    const open = [...parts];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (seen.has(part)) continue;
      seen.add(part);
      if (isMarked(part)) return true;
      open.push(...this.#speaking([part]));
      for (const keyword of keywords)
        open.push(...schemasUnder(part.schema, keyword).map((inner) => this.#child(part as Part, inner)));
    }
    return false;
  }

  /** The place that these parts describe; undefined without parts. */
  set(parts: readonly Part[]): Place | undefined {
    if (parts.length === 0) return undefined;
    const speaking = this.#speaking(parts);
    const key = [...speaking.map(({ id }) => id)].sort((a, b) => a - b).join(" ");
    const known = this.#sets.get(key);
    if (known !== undefined) return known;
    if (this.#sets.size >= MAX_SETS) return MARKED;
    const made = speaking.some(isMarked) ? MARKED : new SetPlace(this, speaking);
    this.#sets.set(key, made);
    return made;
  }

  propertyParts(speaking: readonly Part[], name: string): readonly Part[] {
    return speaking.flatMap((part) => {
      const { schema } = part;
      const own = this.#named(schema, name);
      const rest = own.length === 0 ? schemasUnder(schema, "additionalProperties") : own;
      const unevaluated = schemasUnder(schema, "unevaluatedProperties");
      const isEvaluated =
        unevaluated.length > 0 &&
        this.#speaking([part]).some((other) => this.#named(other.schema, name).length > 0);
      return [...rest, ...(isEvaluated ? [] : unevaluated)].map((inner) => this.#child(part, inner));
    });
  }

  itemParts(speaking: readonly Part[], at: number | undefined): readonly Part[] {
    return speaking.flatMap((part) => {
      const { schema } = part;
      const listed = listedItems(schema);
      const single = isSchema(schema["items"]) ? [schema["items"]] : [];
      const beyond = [...single, ...schemasUnder(schema, "additionalItems")].concat(
        schemasUnder(schema, "unevaluatedItems"),
      );
      const placed = at === undefined ? [...(listed ?? []), ...beyond] : (listed?.slice(at, at + 1) ?? []);
      const own = placed.length > 0 ? placed : beyond;
      return [...own, ...schemasUnder(schema, "contains")]
        .filter(isSchema)
        .map((inner) => this.#child(part, inner));
    });
  }

  /** These parts and all that apply to the same value with them: references, and members of `allOf`. */
  joint(parts: readonly Part[]): readonly Part[] {
    return this.#closed(parts, ["allOf"]);
  }

  /** The parts of which one applies to a value of this part. */
  variants(part: Part): readonly Part[] {
    return ["anyOf", "oneOf"].flatMap((keyword) =>
      schemasUnder(part.schema, keyword).map((inner) => this.#child(part, inner)),
    );
  }

  /** The places directly inside a value of all these parts: names, `*` for others and for items. */
  inside(joint: readonly Part[]): readonly (readonly [step: string, parts: readonly Part[]])[] {
    const names = new Set(
      joint.flatMap(({ schema }) => schemaMap(schema["properties"]).map(([name]) => name)),
    );
    const named = [...names].map((name) => [name, this.propertyParts(joint, name)] as const);
    const others = joint.flatMap((part) =>
      BELOW.filter((keyword) => keyword !== "properties").flatMap((keyword) =>
        schemasUnder(part.schema, keyword).map((inner) => ["*", [this.#child(part, inner)]] as const),
      ),
    );
    return [...named, ...others].filter(([, parts]) => parts.length > 0);
  }

  /** Schemas under a name in `properties` and `patternProperties`. */
  #named(schema: TSchema, name: string): readonly TSchema[] {
    const { properties, patternProperties } = schema as TSchema & Record<string, unknown>;
    const own = isSchema(properties) && Object.hasOwn(properties, name) ? [properties[name] as unknown] : [];
    const matched = isSchema(patternProperties)
      ? Object.entries(patternProperties)
          .filter(([pattern]) => this.#matches(pattern, name))
          .map(([, inner]) => inner as unknown)
      : [];
    return [...own, ...matched].filter(isSchema);
  }

  #matches(pattern: string, name: string): boolean {
    let test = this.#patterns.get(pattern);
    if (test === undefined) {
      try {
        test = checkedPattern(pattern, "");
      } catch {
        test = () => true;
      }
      this.#patterns.set(pattern, test);
    }
    return test(name);
  }

  /** These parts and all that describe the same value: variants and references. */
  #speaking(parts: readonly Part[]): readonly Part[] {
    return this.#closed(parts, IN_PLACE);
  }

  #closed(parts: readonly Part[], keywords: readonly string[]): readonly Part[] {
    const found = new Set<Part>(parts);
    // A set iterates over what is added meanwhile.
    for (const part of found) {
      const { schema, meanings } = part;
      for (const keyword of keywords)
        for (const inner of schemasUnder(schema, keyword)) found.add(this.#child(part, inner));
      const reference: unknown = schema["$ref"];
      if (typeof reference === "string") found.add(this.#meant(reference, meanings));
    }
    return [...found];
  }

  #meant(reference: string, meanings: Meanings): Part {
    if (reference === "#") return this.first;
    const name = reference.replace(/^#\/(?:\$defs|definitions)\//, "");
    return meanings.get(reference) ?? meanings.get(name) ?? UNKNOWN;
  }

  #child(part: Part, schema: TSchema): Part {
    const known = part.inner.get(schema);
    if (known !== undefined) return known;
    const made = this.#part(schema, part.meanings);
    part.inner.set(schema, made);
    return made;
  }

  #part(schema: TSchema, outer: Meanings): Part {
    const definitions = schemaMap(schema["$defs"] ?? schema["definitions"]);
    const isNamed = typeof schema.$id === "string";
    // A look-up, not a copy: definitions refer to those behind them.
    const own = new Map<string, Part>();
    const meanings =
      isNamed || definitions.length > 0 ? { get: (name: string) => own.get(name) ?? outer.get(name) } : outer;
    this.#parts += 1;
    const part: Part = { id: this.#parts, schema, meanings, inner: new Map() };
    if (isNamed) own.set(schema.$id as string, part);
    for (const [name, inner] of definitions) own.set(name, this.#part(inner, meanings));
    return part;
  }
}

const isMarked = ({ schema }: Part): boolean => isSensitive(schema);

const listedItems = (schema: TSchema): readonly TSchema[] | undefined =>
  [schema["prefixItems"], schema["items"]].find(Array.isArray);

const schemaMap = (held: unknown): readonly (readonly [string, TSchema])[] =>
  isSchema(held)
    ? Object.entries(held).flatMap(([name, inner]) => (isSchema(inner) ? [[name, inner] as const] : []))
    : [];

/** The meaning of a dangling reference. */
const UNKNOWN: Part = {
  id: 0,
  schema: { [SENSITIVE]: true } as unknown as TSchema,
  meanings: new Map(),
  inner: new Map(),
};

export const MARKED: Place = { isMarked: true, hasMarks: true, property: () => MARKED, item: () => MARKED };

class SetPlace implements Place {
  readonly isMarked = false;
  #hasMarks: boolean | undefined;
  readonly #sets: Sets;
  readonly #speaking: readonly Part[];
  // Caches names of the schema only: other names come from clients, and are unbounded.
  readonly #properties = new Map<string, Place | undefined>();
  readonly #names: ReadonlySet<string>;
  /** By index; from the length of the longest tuple on, all items are alike. */
  readonly #items = new Map<number, Place | undefined>();
  readonly #listed: number;

  constructor(sets: Sets, speaking: readonly Part[]) {
    this.#sets = sets;
    this.#speaking = speaking;
    this.#names = new Set(
      speaking.flatMap(({ schema }) => schemaMap(schema["properties"]).map(([name]) => name)),
    );
    this.#listed = Math.max(0, ...speaking.map(({ schema }) => listedItems(schema)?.length ?? 0));
  }

  get hasMarks(): boolean {
    this.#hasMarks ??= this.#sets.hasMark(this.#speaking);
    return this.#hasMarks;
  }

  property(name: string): Place | undefined {
    if (!this.#names.has(name)) return this.#made(name);
    if (!this.#properties.has(name)) this.#properties.set(name, this.#made(name));
    return this.#properties.get(name);
  }

  item(at?: number): Place | undefined {
    const key = at === undefined ? -1 : Math.min(at, this.#listed);
    if (!this.#items.has(key)) this.#items.set(key, this.#sets.set(this.#sets.itemParts(this.#speaking, at)));
    return this.#items.get(key);
  }

  #made(name: string): Place | undefined {
    return this.#sets.set(this.#sets.propertyParts(this.#speaking, name));
  }
}
