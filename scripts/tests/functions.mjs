// The functions of a source file, each by a key that stays the same until its code changes:
// comments, white space, types and the code of functions inside it do not count; constants
// and classes of the module that it uses do, and so does where an imported name comes from.

import { createHash } from "node:crypto";

import { parseSync } from "oxc-parser";

/** Parts of a node that do not exist at run time, or that positions decide. */
const LEFT_OUT = new Set([
  ..."start end parent typeAnnotation typeParameters typeArguments returnType superTypeArguments".split(" "),
  ..."implements accessibility override readonly declare definite abstract importKind exportKind".split(" "),
]);
const CLASS = /^Class(Declaration|Expression)$/;
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
/** Loading a module of src does nothing but define: package.json says so ("sideEffects"). */
const DEFINES_ALONE = /^src\//;

/**
 * The functions of a TypeScript or JavaScript source, outer ones first, and what stands outside of them.
 *
 * @returns `functions` with `key` (`name` and a hash), offsets `start` and `end`, `line` and `endLine` from 1;
 * `exports`: a hash for each exported name that is no function; `outside`: a hash of the statements that
 * run when the module is loaded. Each of the three has `uses`: imported names as "NAME of MODULE",
 * "* of MODULE" for all of them.
 */
export function functionsOf(text, file) {
  const { program, errors } = parseSync(file, text, { preserveParens: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return new Reading(text, program, DEFINES_ALONE.test(file)).result();
}

/** The innermost function at an offset. */
export const functionAt = (functions, offset) =>
  functions.findLast(({ start, end }) => start <= offset && offset < end);

const hash = (code) => createHash("sha1").update(code).digest("base64url").slice(0, 8);

/** Code that changes as one: a function, a constant, a class, or the statements of a module. */
class Unit {
  code = "";
  uses = new Set();
  locals = new Set();
}

class Reading {
  #text;
  #imports;
  /** The constants and classes of the module. */
  #declared = new Map();
  #outside = new Unit();
  #exported = new Map();
  #functions = [];
  #unit = this.#outside;

  constructor(text, program, definesAlone) {
    this.#text = text;
    this.#imports = importsOf(program);
    const statements = program.body.map((node) => node.declaration ?? node);
    for (const node of statements)
      for (const { id } of declaratorsOf(node)) this.#declared.set(id.name, new Unit());
    for (const node of program.body) this.#statement(node, definesAlone);
  }

  result() {
    const lines = new Lines(this.#text);
    const counts = new Map();
    const functions = this.#functions.map(({ unit, name, start, end }) => {
      const { hash, uses } = this.#whole(unit);
      const base = `${name}:${hash}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      const key = count === 1 ? base : `${base}~${count}`;
      return { key, name, start, end, line: lines.at(start) + 1, endLine: lines.at(end) + 1, uses };
    });
    functions.sort((a, b) => a.start - b.start || b.end - a.end);
    const exports = new Map([...this.#exported].map(([name, unit]) => [name, this.#whole(unit)]));
    return { functions, exports, outside: this.#whole(this.#outside) };
  }

  /** A unit with the constants and classes that it uses, and those that they use. */
  #whole(unit) {
    const units = new Set([unit]);
    for (const one of units) for (const name of one.locals) units.add(this.#declared.get(name));
    const all = [...units];
    return { hash: hash(all.map(({ code }) => code).join("\n")), uses: all.flatMap(({ uses }) => [...uses]) };
  }

  #statement(node, definesAlone) {
    const { type, declaration, source, specifiers } = node;
    if (type === "ImportDeclaration") return this.#add(this.#outside, node);
    if (type === "ExportAllDeclaration") return this.#export("*", `* of ${source.value}`);
    for (const { exported, local } of specifiers ?? []) {
      if (source !== null) this.#export(exported.name, `${local.name} of ${source.value}`);
      else if (this.#declared.has(local.name))
        this.#exported.set(exported.name, this.#declared.get(local.name));
      else if (this.#imports.has(local.name)) this.#export(exported.name, this.#imports.get(local.name));
    }
    if (type === "ExportNamedDeclaration" && declaration === null) return;
    const own = declaration ?? node;
    // A function changes nothing until it runs.
    if (isFunction(own)) return this.#add(new Unit(), own, node.start);
    const parts = declaratorsOf(own);
    if (parts.length === 0) return this.#add(this.#outside, own, node.start);
    for (const part of parts) {
      const unit = this.#declared.get(part.id.name);
      this.#add(unit, part);
      if (!definesAlone) this.#outside.locals.add(part.id.name);
      if (declaration)
        this.#exported.set(type === "ExportDefaultDeclaration" ? "default" : part.id.name, unit);
    }
  }

  #export(name, use) {
    const unit = Object.assign(new Unit(), { code: use, uses: new Set([use]) });
    this.#exported.set(name, unit);
  }

  #add(unit, node, start) {
    this.#unit = unit;
    unit.code += this.#code(node, "", start);
  }

  /** The code of a node as text, with a mark in the place of each function inside it. */
  #code(node, name, start = node.start) {
    const { type } = node;
    if (FUNCTION.test(type)) return this.#function(node, node.id ? joined(name, node.id.name) : name, start);
    if (type === "ImportDeclaration") return node.specifiers.length > 0 ? "" : `import ${node.source.value}`;
    if (type.startsWith("TS")) return this.#typed(node, name);
    if (node.value?.type === "TSEmptyBodyFunctionExpression") return "";
    if (CLASS.test(type)) return this.#class(node, node.id ? joined(name, node.id.name) : name);
    if (type === "MethodDefinition" || type === "Property") return this.#member(node, name);
    if (type === "VariableDeclarator" || type === "PropertyDefinition")
      return this.#children(node, joined(name, nameOf(node.id ?? node.key)));
    if (type === "Identifier") return this.#identifier(node);
    if (type === "Literal") return typeof node.value === "string" ? JSON.stringify(node.value) : node.raw;
    if (type === "ImportExpression") this.#unit.uses.add(`* of ${node.source.value}`);
    return this.#children(node, name);
  }

  #identifier({ name }) {
    const use = this.#imports.get(name);
    if (use !== undefined) this.#unit.uses.add(use);
    else if (this.#declared.has(name)) this.#unit.locals.add(name);
    return use ?? name;
  }

  #children(node, name, without) {
    const parts = Object.entries(node).map(([key, value]) =>
      LEFT_OUT.has(key) || key === without ? "" : this.#value(value, name, isName(node, key)),
    );
    return `${node.type}(${parts.filter(Boolean).join(" ")})`;
  }

  #value(value, name, isName) {
    if (isName) return nameOf(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.#value(item, name)).join(" ")}]`;
    if (typeof value?.type === "string") return this.#code(value, name);
    if (value === null || value === undefined || value === false) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  /** `value as T` and the like are their value; declarations of types are nothing. */
  #typed(node, name) {
    return typeof node.expression?.type === "string" ? this.#code(node.expression, name) : "";
  }

  #member(node, name) {
    const { key, value, kind, computed } = node;
    if (!FUNCTION.test(value?.type)) return this.#children(node, joined(name, nameOf(key)));
    const own = joined(name, /^[gs]et$/.test(kind) ? `${kind} ${nameOf(key)}` : nameOf(key));
    const flags = [kind, node.static && "static"].filter(Boolean).join(" ");
    const label = computed ? `[${this.#code(key, own)}]` : nameOf(key);
    const code = this.#function(value, own, node.start, node.fields);
    // What is private is seen by the functions of its class alone.
    return key.type === "PrivateIdentifier" ? "" : `${flags} ${label} ${code}`;
  }

  /** Fields of an instance are set when it is constructed: they are code of the constructor. */
  #class(node, name) {
    const maker = node.body.body.find(({ kind, value }) => kind === "constructor" && value.body);
    const isField = (member) => member.type === "PropertyDefinition" && !member.static;
    const members = node.body.body.filter((member) => maker === undefined || !isField(member));
    if (maker !== undefined) maker.fields = node.body.body.filter(isField);
    const parts = [node.superClass, ...members].filter((part) => part !== null);
    const code = parts.map((part) => this.#code(part, name)).filter(Boolean);
    return `${node.type} ${name} ${code.join("\n")}`;
  }

  #function(node, name, start, fields = []) {
    const outer = this.#unit;
    const unit = new Unit();
    this.#unit = unit;
    const first = fields.map((field) => this.#code(field, name)).join(" ");
    unit.code = first + this.#children(node, name, "id");
    this.#unit = outer;
    this.#functions.push({ unit, name, start, end: node.end });
    return `function/${node.params.length}`;
  }
}

/** What each imported name means. */
function importsOf({ body }) {
  const declarations = body.filter(({ type }) => type === "ImportDeclaration");
  return new Map(
    declarations.flatMap(({ source, specifiers }) =>
      specifiers.map(({ type, local, imported }) => {
        const name =
          type === "ImportDefaultSpecifier" ? "default" : (imported?.name ?? imported?.value ?? "*");
        return [local.name, `${name} of ${source.value}`];
      }),
    ),
  );
}

const isFunction = ({ type, declarations }) =>
  FUNCTION.test(type) ||
  (type === "VariableDeclaration" && declarations.every(({ init }) => FUNCTION.test(init?.type)));

/** The constants and classes that a statement declares, where each has a plain name and none is a function. */
function declaratorsOf(node) {
  if (node.type === "ClassDeclaration") return node.id === null ? [] : [node];
  if (node.type !== "VariableDeclaration" || node.declare) return [];
  const isPlain = ({ id, init }) => id.type === "Identifier" && !FUNCTION.test(init?.type);
  return node.declarations.every(isPlain) ? node.declarations : [];
}

/** True if this part of a node is a name and no variable. */
const isName = ({ type, computed }, key) =>
  !computed && ((type === "MemberExpression" && key === "property") || (/^Prop/.test(type) && key === "key"));

const joined = (...names) => names.filter(Boolean).join(".");

const nameOf = (node) => `${node?.type === "PrivateIdentifier" ? "#" : ""}${node?.name ?? node?.value ?? ""}`;

/** Offsets to lines, both from 0. */
export class Lines {
  starts;

  constructor(text) {
    this.starts = [...text.matchAll(/^/gm)].map(({ index }) => index);
  }

  at(offset) {
    let [low, high] = [0, this.starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low;
  }
}
