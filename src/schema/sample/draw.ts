// Draws one value of a schema, part by part. Constraints between parts, such as unique items or a
// Not, are left to chance: the caller checks the value and draws again.

import { type TSchema, Type } from "@sinclair/typebox";

import { itemKey } from "../compile/item-key.js";
import { meant, namesWithin, type Place } from "../tree/place.js";
import { kindOf } from "../tree/schema-tree.js";
import { amount, type Choice, chance, oneOf } from "./choice.js";
import { intersection } from "./intersection.js";
import type { LeastDepth } from "./least-depth.js";
import { number } from "./number.js";
import { text } from "./text.js";
import { word } from "./words.js";

const MAX_DEPTH = 6;
const MAX_PARTS = 500;
const ANYTHING: readonly unknown[] = [null, true, 1, "amber", {}, []];
const UNIQUE_TRIES = 20;

/** A part of a drawn value, and its schema. */
export interface Site {
  /** Path of the part: ["lines", 0, "qty"]. */
  readonly path: readonly (string | number)[];
  readonly schema: TSchema;
  readonly value: unknown;
}

export class Draw {
  readonly sites: Site[] = [];
  readonly #choice: Choice;
  readonly #leastDepth: LeastDepth;
  /** The schemas being drawn, the outermost first. */
  readonly #within: TSchema[] = [];
  #parts = 0;

  constructor(choice: Choice, leastDepth: LeastDepth) {
    this.#choice = choice;
    this.#leastDepth = leastDepth;
  }

  /** Undefined if no value is found. */
  value(place: Place, path: Site["path"] = []): unknown {
    this.#parts += 1;
    if (!this.#hasEnd(place.schema)) return undefined;
    const concrete = this.#concrete(place);
    if (concrete === undefined) return undefined;
    const { schema } = concrete;
    this.#within.push(schema);
    const value = this.#given(schema) ?? this.#made(concrete, path);
    this.#within.pop();
    this.sites.push({ path, schema, value });
    return value;
  }

  /** True if the value must end soon. */
  get #isTight(): boolean {
    return this.#within.length > MAX_DEPTH || this.#parts > MAX_PARTS;
  }

  /** Intersections are not known to end before they are merged. */
  #hasEnd(schema: TSchema): boolean {
    return Number.isFinite(this.#leastDepth(schema)) && this.#within.length < 4 * MAX_DEPTH;
  }

  /** The schema's default or an example. */
  #given({ default: usual, examples }: TSchema): unknown {
    if (this.#choice.isPlain) return usual ?? (Array.isArray(examples) ? examples[0] : undefined);
    if (Array.isArray(examples) && examples.length > 0 && chance(this.#choice, 30))
      return oneOf(this.#choice, examples);
    return chance(this.#choice, 10) ? usual : undefined;
  }

  /** Resolves references, chooses a variant of a union, merges an intersection. */
  #concrete(place: Place): Place | undefined {
    const { schema } = place;
    const names = namesWithin(place);
    switch (kindOf(schema)) {
      case "Import":
      case "Ref":
      case "This": {
        const other = meant(place);
        return other && this.#concrete(other);
      }
      case "Union":
        return this.#concrete({ schema: this.#variant(schema["anyOf"]), names });
      case "Intersect": {
        const parts = (schema["allOf"] as TSchema[]).map((part) => this.#concrete({ schema: part, names }));
        if (parts.length === 0 || parts.includes(undefined)) return undefined;
        const all = parts as Place[];
        const known = all.flatMap((part) => [...namesWithin(part)]);
        return { schema: intersection(all.map((part) => part.schema)), names: new Map([...names, ...known]) };
      }
      case "Never":
        return undefined;
      default:
        return place;
    }
  }

  #variant(variants: readonly TSchema[]): TSchema {
    const least = Math.min(...variants.map(this.#leastDepth));
    const isFit = (variant: TSchema): boolean => {
      const depth = this.#leastDepth(variant);
      return this.#isTight ? depth === least : Number.isFinite(depth);
    };
    const fit = variants.filter(isFit);
    return oneOf(this.#choice, fit.length === 0 ? variants : fit);
  }

  #made(place: Place, path: Site["path"]): unknown {
    const { schema } = place;
    switch (kindOf(schema)) {
      case "Object":
        return this.#object(place, path);
      case "Record":
        return this.#record(place, path);
      case "Array":
        return this.#array(place, path);
      case "Tuple":
        return (schema["items"] ?? []).map((item: TSchema, i: number) =>
          this.value({ schema: item, names: namesWithin(place) }, [...path, i]),
        );
      case "String":
      case "RegExp":
      case "TemplateLiteral":
        return text(schema, this.#choice);
      case "Integer":
        return number(schema, this.#choice, true);
      case "Number":
        return number(schema, this.#choice, false);
      case "Boolean":
        return chance(this.#choice, 50);
      case "Null":
        return null;
      case "Literal":
        return schema["const"];
      default:
        return oneOf(this.#choice, ANYTHING);
    }
  }

  #object(place: Place, path: Site["path"]): unknown {
    const {
      properties,
      required = [],
      minProperties = 0,
      maxProperties = Number.POSITIVE_INFINITY,
    } = place.schema;
    const names = namesWithin(place);
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const room = Math.max(0, maxProperties - required.length);
    const wanted = optional.filter((name) => this.#wants({ schema: properties[name], names }));
    const missing = Math.max(0, minProperties - required.length - wanted.length);
    const more = optional.filter((name) => !wanted.includes(name)).slice(0, missing);
    const chosen = new Set<string>([...required, ...[...wanted, ...more].slice(0, room)]);
    const entries = Object.keys(properties)
      .filter((name) => chosen.has(name))
      .map((name) => [name, this.value({ schema: properties[name], names }, [...path, name])] as const);
    return Object.fromEntries([...entries, ...this.#additional(place, minProperties - entries.length, path)]);
  }

  /** Properties without a given name. */
  #additional(place: Place, count: number, path: Site["path"]): readonly (readonly [string, unknown])[] {
    const { additionalProperties: schema = Type.Unknown() } = place.schema;
    if (typeof schema !== "object") return [];
    return Array.from({ length: Math.max(0, count) }, (_, i) => {
      const name = `${word(this.#choice)}_${i}`;
      return [name, this.value({ schema, names: namesWithin(place) }, [...path, name])] as const;
    });
  }

  /** True to include an optional property. */
  #wants(place: Place): boolean {
    if (this.#isTight || !this.#hasEnd(place.schema)) return false;
    return this.#choice.isPlain ? !this.#isAgain(place) : chance(this.#choice, 70);
  }

  /** True if the referenced schema is already being drawn: a template shows it once. */
  #isAgain(place: Place): boolean {
    const other = meant(place);
    return other !== undefined && this.#within.includes(other.schema);
  }

  #record(place: Place, path: Site["path"]): unknown {
    const { patternProperties, minProperties = 0, maxProperties = minProperties + 12 } = place.schema;
    const names = namesWithin(place);
    const [[pattern, schema] = ["", Type.Never()]] = Object.entries<TSchema>(patternProperties);
    const count = this.#isTight ? minProperties : amount(this.#choice, minProperties, maxProperties);
    const keys = new Set<string>();
    for (let tries = 0; keys.size < count && tries < count * UNIQUE_TRIES; tries += 1)
      keys.add(text(Type.String({ pattern }), this.#choice));
    return Object.fromEntries([...keys].map((key) => [key, this.value({ schema, names }, [...path, key])]));
  }

  #array(place: Place, path: Site["path"]): unknown {
    const { items, contains, uniqueItems } = place.schema;
    const names = namesWithin(place);
    const { least, count } = this.#countOf(place);
    const drawn: unknown[] = [];
    const keys = new Set<string>();
    for (let tries = 0; drawn.length < count && tries < count + UNIQUE_TRIES; tries += 1) {
      const schema = drawn.length < least ? Type.Intersect([items, contains]) : items;
      const item = this.value({ schema, names }, [...path, drawn.length]);
      const key = uniqueItems === true ? itemKey(item) : "";
      if (uniqueItems === true && keys.has(key)) continue;
      keys.add(key);
      drawn.push(item);
    }
    return drawn;
  }

  /** The number of items, and how many of the first must match `contains`. */
  #countOf(place: Place): { readonly least: number; readonly count: number } {
    const {
      items,
      contains,
      minContains = 1,
      minItems = 0,
      maxItems = Math.max(minItems, 12),
    } = place.schema;
    const least = contains === undefined ? 0 : minContains;
    const min = Math.max(minItems, least);
    const isOpen = !this.#isTight && this.#hasEnd(items);
    const shown = { schema: items, names: namesWithin(place) };
    if (this.#choice.isPlain)
      return { least, count: Math.max(min, isOpen && maxItems > 0 && !this.#isAgain(shown) ? 1 : 0) };
    return { least, count: isOpen ? amount(this.#choice, min, maxItems) : min };
  }
}
