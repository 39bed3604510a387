// Parses fields of forms and queries. `user[name]` is a property of `user`; `tags[]` and repeated names
// are lists.

import type { RawParameters, RawTree } from "#schema/compile/coercion.js";
import { Refusal } from "../refusal/refusal.js";
import { decodeText, NOT_UTF8 } from "./json-body.js";

const MAX_FIELDS = 1000;
const MAX_PARAMETERS = 1000;
const MAX_NESTING = 5;

export type Field = readonly [name: string, value: string];

const invalid = (detail: string): Refusal => new Refusal("FORM_INVALID", { detail });

const TOO_MANY = invalid(`It has more than ${MAX_FIELDS} fields`);
const MALFORMED = invalid("A field is not percent-encoded UTF-8");
const PROTOTYPE_KEY = invalid("It has a field '__proto__'");
const MALFORMED_NAME = invalid("The brackets of a field's name are malformed");
const TOO_DEEP = invalid(`A field's name is nested deeper than ${MAX_NESTING}`);
const TOO_MANY_PARAMETERS = new Refusal("PARAMETER_INVALID", {
  detail: `The query has more than ${MAX_PARAMETERS} parameters`,
});
const PROTOTYPE_PARAMETER = new Refusal("PARAMETER_INVALID", {
  detail: "The query has a parameter '__proto__'",
});
const CONTRADICTION = invalid("A field has a value and fields of its own");

/** Parses an `application/x-www-form-urlencoded` body. */
export function parseForm(body: Buffer): readonly Field[] | Refusal {
  const text = decodeText(body);
  if (text === undefined) return NOT_UTF8;
  const pairs = text.split("&", MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) return TOO_MANY;
  try {
    return pairs.filter((pair) => pair !== "").map(fieldOf);
  } catch {
    return MALFORMED;
  }
}

function fieldOf(pair: string): Field {
  const equals = pair.indexOf("=");
  return equals < 0 ? [decode(pair), ""] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
}

/** Throws URIError for malformed percent-encoding. */
function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodeURIComponent(spaced) : spaced;
}

/** A tree of objects without prototype. */
interface Tree {
  [name: string]: string | string[] | Tree;
}

export function treeOf(fields: readonly Field[]): RawTree | Refusal {
  const tree: Tree = Object.create(null);
  for (const [name, value] of fields) {
    const path = pathOf(name);
    const refusal = path instanceof Refusal ? path : insert(tree, path, value);
    if (refusal !== undefined) return refusal;
  }
  return tree;
}

/** Values by name, in an object without prototype. */
export function flatFields(fields: readonly Field[]): RawParameters | Refusal {
  const named: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    // hole: a field could name a prototype
    if (namesPrototype(name)) return PROTOTYPE_KEY;
    addText(named, name, value);
  }
  return named;
}

/** Adds a value. A repeated name gets an array. */
export function addText(named: Record<string, string | string[]>, name: string, value: string): void {
  const known = named[name];
  if (known === undefined) named[name] = value;
  else if (typeof known === "string") named[name] = [known, value];
  else known.push(value);
}

/** `tags[]=a`, `tags[0]=a`: common spellings of list items. */
const LISTED = /^([^[\]]+)\[\d{0,9}\]$/;

function addListed(named: Record<string, string | string[]>, name: string, value: string): void {
  if (named[name] === undefined) named[name] = [value];
  else addText(named, name, value);
}

const TO_PROTOTYPE = /(?:^|\[)__proto__(?:[[\]]|$)/;

/** True if code that splits the name at its brackets would reach a prototype. */
const namesPrototype = (name: string): boolean => name.includes("__proto__") && TO_PROTOTYPE.test(name);

/** Parses a query that the gate has checked. The result has no prototype. */
export function parseQuery(query: string | undefined): RawParameters | Refusal {
  const parameters: Record<string, string | string[]> = Object.create(null);
  if (query === undefined || query === "") return parameters;
  const pairs = query.split("&");
  if (pairs.length > MAX_PARAMETERS) return TOO_MANY_PARAMETERS;
  for (const pair of pairs) {
    if (pair === "") continue;
    const [name, value] = fieldOf(pair);
    if (namesPrototype(name)) return PROTOTYPE_PARAMETER;
    const listed = name.endsWith("]") ? LISTED.exec(name)?.[1] : undefined;
    if (listed === undefined) addText(parameters, name, value);
    else addListed(parameters, listed, value);
  }
  return parameters;
}

// One name, then any number of names in brackets. The last one may be empty.
const NAME = /^[^[\]]+((?:\[[^[\]]+\])*)(\[\])?$/;

/** The names from the outermost; "" at the end marks a list. */
function pathOf(name: string): readonly string[] | Refusal {
  if (namesPrototype(name)) return PROTOTYPE_KEY;
  if (!/[[\]]/.test(name)) return [name];
  if (!NAME.test(name)) return MALFORMED_NAME;
  const path = name.replaceAll("]", "").split("[");
  // hole: a deep name could exhaust the stack
  if (path.length - 1 > MAX_NESTING) return TOO_DEEP;
  return path;
}

function insert(tree: Tree, path: readonly string[], value: string): Refusal | undefined {
  const isListed = path.length > 1 && path.at(-1) === "";
  const names = isListed ? path.slice(0, -1) : path;
  const last = names.at(-1) as string;
  let inner = tree;
  for (const name of names.slice(0, -1)) {
    inner[name] ??= Object.create(null) as Tree;
    const next = inner[name];
    if (typeof next === "string" || Array.isArray(next)) return CONTRADICTION;
    inner = next;
  }
  const known = inner[last];
  if (known === undefined) inner[last] = isListed ? [value] : value;
  else if (typeof known === "string") inner[last] = [known, value];
  else if (Array.isArray(known)) known.push(value);
  else return CONTRADICTION;
  return undefined;
}
