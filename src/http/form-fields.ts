// What the fields of a form are, by their names: `user[name]` stands inside `user`,
// `tags[]` is one of a list, and so is a name that comes more than once.

import type { RawParameters, RawTree } from "#schema/coercion.js";
import { decodeText, NOT_UTF8 } from "./json-body.js";
import { Refusal } from "./refusal.js";

const MAX_FIELDS = 1000;
const MAX_NESTING = 5;

export type Field = readonly [name: string, value: string];

const invalid = (detail: string): Refusal => new Refusal("FORM_INVALID", { detail });

const TOO_MANY = invalid(`It has more than ${MAX_FIELDS} fields`);
const MALFORMED = invalid("A field is not percent-encoded UTF-8");
const PROTOTYPE_KEY = invalid("It has a field '__proto__'");
const MALFORMED_NAME = invalid("The brackets of a field's name are malformed");
const TOO_DEEP = invalid(`A field's name is nested deeper than ${MAX_NESTING}`);
const CONTRADICTION = invalid("A field has a value and fields of its own");

/** The fields of an `application/x-www-form-urlencoded` body, or why it is refused. */
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

/** Throws a URIError where it is malformed. */
const decode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

/** Being filled: no prototypes. */
interface Tree {
  [name: string]: string | string[] | Tree;
}

const TO_PROTOTYPE = /(?:^|\[)__proto__(?:[[\]]|$)/;

/** Whether who takes the brackets of a name apart would reach a prototype. */
export const namesPrototype = (name: string): boolean =>
  name.includes("__proto__") && TO_PROTOTYPE.test(name);

/** The fields by their names, or why the form is refused. */
export function treeOf(fields: readonly Field[]): RawTree | Refusal {
  const tree: Tree = Object.create(null);
  for (const [name, value] of fields) {
    const path = pathOf(name);
    const refusal = path instanceof Refusal ? path : insert(tree, path, value);
    if (refusal !== undefined) return refusal;
  }
  return tree;
}

/** The fields as they are called; one that came more than once has an array. No prototype. */
export function flatFields(fields: readonly Field[]): RawParameters | Refusal {
  const named: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    if (namesPrototype(name)) return PROTOTYPE_KEY;
    const known = named[name];
    if (known === undefined) named[name] = value;
    else if (typeof known === "string") named[name] = [known, value];
    else known.push(value);
  }
  return named;
}

// One name, then any in brackets, the last of which may be empty.
const NAME = /^[^[\]]+((?:\[[^[\]]+\])*)(\[\])?$/;

/** A field's name and those that it stands in, outermost first; "" in the end for one of a list. */
function pathOf(name: string): readonly string[] | Refusal {
  if (namesPrototype(name)) return PROTOTYPE_KEY;
  if (!/[[\]]/.test(name)) return [name];
  if (!NAME.test(name)) return MALFORMED_NAME;
  const path = name.replaceAll("]", "").split("[");
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
