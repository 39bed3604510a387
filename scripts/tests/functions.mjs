// The functions of a source file, each by a key that stays the same until its code changes:
// comments, white space, types and the code of functions inside it do not count.

import { createHash } from "node:crypto";

import { parseSync } from "oxc-parser";

/** Parts of a node that do not exist at run time, or that positions decide. */
const LEFT_OUT = new Set([
  ..."start end parent typeAnnotation typeParameters typeArguments returnType superTypeArguments".split(" "),
  ..."implements accessibility override readonly declare definite abstract importKind exportKind".split(" "),
]);
const CLASS = /^Class(Declaration|Expression)$/;
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/**
 * The functions of a TypeScript or JavaScript source, outer ones first. Imported names
 * count as what they import: a function changes with the module of a name that it uses.
 *
 * @returns `functions` with the `key` (`name` and a hash), the `start` and `end` as offsets and the `line` and `endLine`
 * from 1; `outside`: a hash of what stands outside of functions
 */
export function functionsOf(text, file) {
  const { program, errors } = parseSync(file, text, { preserveParens: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const reading = new Reading(text, importsOf(program));
  const outside = hash(program.body.map((node) => reading.code(node, "")).join("\n"));
  return { functions: reading.functions.sort((a, b) => a.start - b.start || b.end - a.end), outside };
}

/** The innermost function at an offset. */
export const functionAt = (functions, offset) =>
  functions.findLast(({ start, end }) => start <= offset && offset < end);

const hash = (code) => createHash("sha1").update(code).digest("base64url").slice(0, 8);

/** What each imported name means. */
function importsOf({ body }) {
  const declarations = body.filter(({ type }) => type === "ImportDeclaration");
  return new Map(
    declarations.flatMap(({ source, specifiers }) =>
      specifiers.map(({ local, imported }) => [
        local.name,
        `${imported?.name ?? imported?.value ?? "*"} of ${source.value}`,
      ]),
    ),
  );
}

class Reading {
  functions = [];
  #keys = new Map();
  #lineStarts;
  #imports;

  constructor(text, imports) {
    this.#imports = imports;
    this.#lineStarts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  }

  /** The code of a node as text, with a mark in the place of each function inside it. */
  code(node, name, start = node.start) {
    const { type } = node;
    if (FUNCTION.test(type)) return this.#function(node, node.id ? joined(name, node.id.name) : name, start);
    if (type === "ImportDeclaration") return node.specifiers.length > 0 ? "" : `import ${node.source.value}`;
    if (type.startsWith("TS")) return this.#typed(node, name);
    if (node.value?.type === "TSEmptyBodyFunctionExpression") return "";
    if (CLASS.test(type)) return this.#class(node, node.id ? joined(name, node.id.name) : name);
    if (type === "MethodDefinition" || type === "Property") return this.#member(node, name);
    if (type === "VariableDeclarator" || type === "PropertyDefinition")
      return this.#children(node, joined(name, nameOf(node.id ?? node.key)));
    if (type === "Identifier") return this.#imports.get(node.name) ?? node.name;
    if (type === "Literal") return typeof node.value === "string" ? JSON.stringify(node.value) : node.raw;
    return this.#children(node, name);
  }

  #children(node, name, without) {
    const parts = Object.entries(node).map(([key, value]) =>
      LEFT_OUT.has(key) || key === without ? "" : this.#value(value, name),
    );
    return `${node.type}(${parts.filter(Boolean).join(" ")})`;
  }

  #value(value, name) {
    if (Array.isArray(value)) return `[${value.map((item) => this.#value(item, name)).join(" ")}]`;
    if (typeof value?.type === "string") return this.code(value, name);
    return value === null || value === undefined || value === false
      ? ""
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  }

  /** `value as T` and the like are their value; declarations of types are nothing. */
  #typed(node, name) {
    return typeof node.expression?.type === "string" ? this.code(node.expression, name) : "";
  }

  #member(node, name) {
    const { key, value, kind, computed } = node;
    if (!FUNCTION.test(value?.type)) return this.#children(node, joined(name, nameOf(key)));
    const own = joined(name, /^[gs]et$/.test(kind) ? `${kind} ${nameOf(key)}` : nameOf(key));
    const flags = [kind, node.static && "static", computed && "computed"].filter(Boolean).join(" ");
    return `${flags} ${this.code(key, own)} ${this.#function(value, own, node.start, node.fields)}`;
  }

  /** Fields of an instance are set when it is constructed: they are code of the constructor. */
  #class(node, name) {
    const maker = node.body.body.find(({ kind, value }) => kind === "constructor" && value.body);
    const isField = (member) => member.type === "PropertyDefinition" && !member.static;
    if (maker === undefined) return this.#children(node, name);
    const members = node.body.body.filter((member) => !isField(member));
    maker.fields = node.body.body.filter(isField);
    const parts = [node.superClass, ...members].filter((part) => part !== null);
    return `${node.type} ${name} ${parts.map((part) => this.code(part, name)).join("\n")}`;
  }

  #function(node, name, start, fields = []) {
    const own = fields.map((field) => this.code(field, name)).join(" ") + this.#children(node, name, "id");
    const base = `${name}:${hash(own)}`;
    const count = (this.#keys.get(base) ?? 0) + 1;
    this.#keys.set(base, count);
    const key = count === 1 ? base : `${base}~${count}`;
    const { end } = node;
    this.functions.push({ key, name, start, end, line: this.#lineAt(start), endLine: this.#lineAt(end) });
    return `function/${node.params.length}`;
  }

  #lineAt(offset) {
    let [low, high] = [0, this.#lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#lineStarts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

const joined = (...names) => names.filter(Boolean).join(".");

const nameOf = (node) => String(node?.name ?? node?.value ?? "");
