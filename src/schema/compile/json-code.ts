// Generates a function that serialises values of one shape (docs/decisions/0016). It throws ODD at
// a value that does not match exactly; projection.ts then serialises the value or reports the
// error.

import { isFaithful, isPlainObject } from "../tree/json-value.js";
import { ANYTHING, type Leaf, leavesOf, type Shape } from "./shape.js";

/** Thrown for a value that does not match the shape exactly. */
const ODD = Symbol("Odd");

const odd = (): never => {
  throw ODD;
};

/** True for a shape without variants, references, patterns and tuples: code is generated only for these. */
export function isOneShape({
  variants,
  named,
  patterns,
  tuple,
  items,
  properties,
  additionalProperties,
}: Shape): boolean {
  if (variants !== undefined || named !== undefined || patterns !== undefined || tuple !== undefined)
    return false;
  const rest = typeof additionalProperties === "object" ? [additionalProperties] : [];
  return [...(items === undefined ? [] : [items]), ...Object.values(properties ?? {}), ...rest].every(
    isOneShape,
  );
}

/** `otherwise` serialises a value that is not an exact match, or throws. */
export function generateWriter(
  shape: Shape,
  otherwise: (value: unknown) => string,
): (value: unknown) => string {
  const code = new Code();
  const expression = code.written(shape, "value");
  const body = `${code.functions.join("\n")}
return (value) => {
  try {
    return ${expression};
  } catch {
    return otherwise(value);
  }
};`;
  const given = { ODD, otherwise, odd, text, texts, anything, isPlain: isPlainObject };
  return new Function(...Object.keys(given), body)(...Object.values(given));
}

class Code {
  readonly functions: string[] = [];

  /** Returns an expression for the JSON of the variable `value`. */
  written(shape: Shape, value: string): string {
    const leaves = leavesOf(shape);
    if (leaves !== undefined) return leafText(leaves, value);
    const written = this.#structure(shape, value);
    return shape.nullable === true ? `(${value} === null ? "null" : ${written})` : written;
  }

  #structure(shape: Shape, value: string): string {
    if (shape.type === "array" && isText(shape.items)) return `texts(${value})`;
    if (shape.type === "array") return `${this.#list(shape.items ?? ANYTHING)}(${value})`;
    return shape.type === "object" ? `${this.#object(shape)}(${value})` : `anything(${value})`;
  }

  #add(lines: readonly string[]): string {
    const name = `write_${this.functions.length}`;
    this.functions.push([`const ${name} = (value) => {`, ...lines, "};"].join("\n  "));
    return name;
  }

  #list(items: Shape): string {
    const item = this.written(items, "item");
    return this.#add([
      "if (!Array.isArray(value)) throw ODD;",
      'let json = "[";',
      "for (let at = 0; at < value.length; at += 1) {",
      "const item = value[at];",
      'if (at > 0) json += ",";',
      `json += ${item};`,
      "}",
      'return json + "]";',
    ]);
  }

  #object({ properties = {}, required = [], additionalProperties }: Shape): string {
    const names = Object.keys(properties);
    const first = names.findIndex((name) => required.includes(name));
    const members = names.map((name, at) => ({
      name,
      member: `member_${at}`,
      isThere: required.includes(name),
      json: this.written(properties[name] as Shape, `member_${at}`),
      // Properties after the first mandatory one have a leading comma, those before it a trailing
      // comma.
      key: JSON.stringify(`${first >= 0 && at > first ? "," : ""}${JSON.stringify(name)}:`),
      end: at < first ? ' + ","' : "",
    }));
    const lines = [
      // Inlined, not a shared function: each place gets its own inline cache.
      'if (typeof value !== "object" || value === null || value.toJSON !== undefined) throw ODD;',
      "if (Object.getPrototypeOf(value) !== Object.prototype && !isPlain(value)) throw ODD;",
      ...members.map(({ name, member }) => `const ${member} = ${readOf(name)};`),
      ...members
        .filter(({ isThere }) => isThere)
        .map(({ member }) => `if (${member} === undefined) throw ODD;`),
    ];
    if (additionalProperties === undefined && members.every(({ isThere }) => isThere)) {
      const all = members.map(({ key, json }) => `${key} + ${json}`);
      return this.#add([...lines, `return ${['"{"', ...all, '"}"'].join(" + ")};`]);
    }
    lines.push('let json = "{";');
    for (const { member, isThere, key, json, end } of members) {
      const add = `json += ${key} + ${json}${end};`;
      if (isThere) lines.push(add);
      else if (first >= 0) lines.push(`if (${member} !== undefined) ${add}`);
      else lines.push(`if (${member} !== undefined) { ${COMMA} ${add} }`);
    }
    if (additionalProperties !== undefined) {
      const rest = additionalProperties === true ? ANYTHING : additionalProperties;
      const known = `known_${this.functions.length}`;
      this.functions.push(`const ${known} = new Set(${JSON.stringify(names)});`);
      lines.push(
        "for (const name of Object.keys(value)) {",
        `const member = ${known}.has(name) ? undefined : value[name];`,
        "if (member === undefined) continue;",
        COMMA,
        `json += JSON.stringify(name) + ":" + ${this.written(rest, "member")};`,
        "}",
      );
    }
    return this.#add([...lines, 'return json + "}";']);
  }
}

const COMMA = 'if (json.length > 1) json += ",";';

/** Reads a property; members of Object.prototype do not count. */
function readOf(name: string): string {
  const key = JSON.stringify(name);
  return name in Object.prototype
    ? `Object.hasOwn(value, ${key}) ? value[${key}] : undefined`
    : `value[${key}]`;
}

const isText = (shape: Shape | undefined): boolean => shape?.type === "string" && shape.nullable !== true;

const LEAVES: Readonly<Record<Leaf, readonly [test: string, json: string]>> = {
  string: ['typeof $ === "string"', "text($)"],
  number: ["Number.isFinite($)", '"" + $'],
  boolean: ['typeof $ === "boolean"', '($ ? "true" : "false")'],
  null: ["$ === null", '"null"'],
};

/** Serialises each type directly; any other value is ODD. */
const leafText = (leaves: readonly Leaf[], value: string): string =>
  `(${leaves.map((leaf) => LEAVES[leaf].map((part) => part.replaceAll("$", value)).join(" ? ")).join(" : ")} : odd())`;

// Characters that JSON escapes, including lone surrogates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds characters to escape
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;
/** Up to this length a loop is faster than a regular expression. */
const SHORT = 42;
/** From this number of texts on, JSON.stringify is faster than a call for each. */
const MANY = 128;

function text(value: string): string {
  const { length } = value;
  if (length > SHORT) return ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`;
  for (let at = 0; at < length; at += 1) {
    const unit = value.charCodeAt(at);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff))
      return JSON.stringify(value);
  }
  return `"${value}"`;
}

function texts(value: unknown): string {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) throw ODD;
  if (value.length >= MANY) return JSON.stringify(value);
  let json = "";
  for (const item of value) json += json === "" ? text(item) : `,${text(item)}`;
  return `[${json}]`;
}

/** Serialises a value without a schema. Strict: a value that JSON could change is left to the projection. */
function anything(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined || !isFaithful(json, value)) throw ODD;
  return json;
}
